/** A process starts before its store, or while the servers choose a primary. */
import { expect } from "chai";
import { openStore } from "#host/storage/open-store.ts";
import { ForbiddenError } from "#shared/base/errors.ts";
import { StartError } from "#shared/base/start-error.ts";
import { defineCollection } from "#shared/store/collection.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { MongodSet, withoutMongod } from "../../support/stores/mongod-set.ts";

const things = defineCollection("things", {}, {});

const errorOf = (work: Promise<unknown>) =>
	work.then(
		() => expect.fail("does not fail"),
		(error: unknown) => error,
	);

describe("the store at a start", function () {
	this.timeout(60_000);

	if (withoutMongod !== undefined) it(`is waited for: ${withoutMongod}`);
	else
		it("is waited for until it answers", async () => {
			await using set = await MongodSet.start(1);
			await Promise.all(set.members.map((member) => member.kill()));
			const store = new MongodbStore({ url: set.url });
			const told: string[] = [];
			const opened = openStore(store, [things], { announce: (sentence) => told.push(sentence) });
			await eventually(() => told.length > 0, { withinMs: 20_000, what: "the start waits" });
			await Promise.all(set.members.map((member) => member.start()));
			await opened;
			await store.insert(things, { id: "one", wire: "{}" });
			expect((await store.get(things, "one"))?.wire).to.equal("{}");
			await store.close();
			expect(told).to.have.length(1);
		});

	it("is not waited for longer than that, and the start ends with a sentence", async () => {
		const port = await freePort();
		const store = new MongodbStore({ url: `mongodb://127.0.0.1:${port}/` });
		const told: string[] = [];
		const waits: string[] = [];
		const options = { announce: (one: string) => told.push(one), waitFor: (one: string) => waits.push(one) };
		const error = await errorOf(openStore(store, [things], { ...options, withinMs: 2_100 }));
		expect(error).to.be.instanceOf(StartError);
		expect(String(error), "the cause").to.include("ECONNREFUSED");
		expect(String(error), "the server").to.include(`"127.0.0.1:${port}"`);
		expect(waits, "what the ops listener says").to.include(told[0]);
		expect(String(error)).to.match(/Cannot reach the document store.*\(docs\/mongodb\.md\)$/);
		expect(told.join()).to.include("The start waits for the document store");
		await store.close();
	});

	if (withoutMongod !== undefined) it(`is told from another replica set: ${withoutMongod}`);
	else
		it("is told from another replica set than the one of the url", async () => {
			await using set = await MongodSet.start(1);
			const store = new MongodbStore({ url: set.url.replace("replicaSet=rs0", "replicaSet=wrong") });
			const error = await errorOf(openStore(store, [things], { announce: () => {}, withinMs: 2_100 }));
			expect(String(error)).to.include('no server of its url is a member of the replica set "wrong"');
			await store.close();
		});

	it("is not waited for when it refuses", async () => {
		const refusal = new ForbiddenError("The document store refuses the user or the password");
		const store = { open: () => Promise.reject(refusal) };
		const announce = () => expect.fail("waits");
		expect(await errorOf(openStore(store, [things], { announce }))).to.equal(refusal);
	});
});
