/**
 * A MongoDB server that keeps its connections and answers nothing: requests learn of it before their own time is over.
 * Night: it waits for the end of an operation, which takes five seconds.
 */
import { expect } from "chai";
import { monotonic } from "#shared/base/clock.ts";
import { defineCollection } from "#shared/store/collection.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { failureOf } from "../../support/failure-of.ts";
import { MongodSet } from "../../support/stores/mongod-set.ts";

const things = defineCollection("things", { rev: "integer" }, {});
/** The time limit of requests on the bus, in milliseconds. */
const requestMs = 8_000;

describe("a silent store", function () {
	this.timeout(120_000);

	it("fails a read as an outage and a write as undecided, within the time of a request", async () => {
		await using set = await MongodSet.start(1);
		const store = new MongodbStore({ url: set.url });
		await store.open([things]);
		await store.insert(things, { id: "a", wire: "{}", rev: 1 });
		const [server] = set.members;
		server?.freeze();
		const since = monotonic();
		try {
			// The first one has the only connection; the second one needs a connection, which does not come about.
			const asked = [store.update(things, "a", { equals: { rev: 1 } }, { set: { rev: 2 } }), store.get(things, "a")];
			const [write, read] = await Promise.all(asked.map((each) => failureOf(each)));
			expect(monotonic() - since, "milliseconds").to.be.below(requestMs);
			expect(read).to.include({ type: "STORE_UNREACHABLE" });
			expect(write).to.include({ type: "STORE_UNDECIDED" });
		} finally {
			server?.thaw();
			await store.close();
		}
	});
});
