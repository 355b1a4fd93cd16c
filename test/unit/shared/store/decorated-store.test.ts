import { expect } from "chai";
import { decoratedStore } from "#shared/store/decorated-store.ts";
import { documentStoreMethods } from "#shared/store/document-store.ts";
import { openEmbedded } from "../../../support/stores/open-stores.ts";
import { jobs } from "../../../support/stores/sample-collections.ts";

/** A decorator with private state, as the decorators of the product have. */
class Counting {
	#pings = 0;

	async ping(): Promise<void> {
		this.#pings++;
	}

	pings(): number {
		return this.#pings;
	}
}

describe("decoratedStore()", () => {
	it("has the members of the decorator, and passes on all others", async () => {
		const opened = await openEmbedded();
		const { store } = opened;
		const decorated = decoratedStore(store, new Counting());
		await decorated.ping();
		await decorated.ping();
		expect(decorated.pings()).to.equal(2);
		await decorated.insert(jobs, { id: "a", wire: "{}" });
		expect((await store.get(jobs, "a"))?.wire).to.equal("{}");
		expect(documentStoreMethods.filter((name) => typeof decorated[name] !== "function")).to.deep.equal([]);
		expect([decorated.isShared, decorated.transactions]).to.deep.equal([false, store.transactions]);
		await opened.discard();
	});
});
