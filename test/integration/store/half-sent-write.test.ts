/**
 * A write that MongoDB does, whose answer is lost, and whose repetition by the driver finds no server any more: nobody may say
 * that it was never sent. Night: it waits for the driver to give up its search for a server.
 */
import { expect } from "chai";
import { MongoClient } from "mongodb";
import { defineCollection } from "#shared/store/collection.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { TcpProxy } from "../../support/machine/tcp-proxy.ts";
import { MongodSet } from "../../support/stores/mongod-set.ts";

const things = defineCollection("things", { rev: "integer" }, {});

describe("a write that is sent once and not again", function () {
	this.timeout(120_000);

	it("is undecided; the next one, which is not sent at all, is an outage", async () => {
		await using set = await MongodSet.start(1);
		const [server] = set.members;
		if (!server) throw new Error("The set has no member");
		await using proxy = await TcpProxy.listen(server.port);
		const store = new MongodbStore({ url: `mongodb://127.0.0.1:${proxy.port}/?directConnection=true` });
		try {
			await store.open([things]);
			await store.insert(things, { id: "a", wire: "{}", rev: 1 });
			proxy.hold(["down"]);
			const change = (rev: number) =>
				failureOf(store.update(things, "a", { equals: { rev } }, { set: { rev: rev + 1 } }));
			const first = change(1);
			await isDone(server.port, 2);
			proxy.refuse();
			expect(await first).to.include({ type: "STORE_UNDECIDED" });
			expect(await change(2)).to.include({ type: "STORE_UNREACHABLE" });
		} finally {
			proxy.pass();
			await store.close();
		}
	});
});

/** Resolves when the server has the revision, whatever the proxy passes. */
async function isDone(port: number, rev: number): Promise<void> {
	await using client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`);
	const things = client.db("atelier").collection("things");
	await eventually(async () => (await things.countDocuments({ rev })) === 1, { what: "the write is done" });
}
