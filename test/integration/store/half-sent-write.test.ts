/**
 * Writes whose connection ends before their answer. The driver tells of them with errors that look like "nothing was sent" or are
 * none of its own: nobody may say that such a write was not done.
 * Night: it waits for the driver to give up its search for a server.
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
/** More than a socket takes before the other side reads, as JSON. */
const tooMuchAtOnce = JSON.stringify("x".repeat(14_000_000));

describe("a write whose connection ends before its answer", function () {
	this.timeout(120_000);

	let set: MongodSet;
	let proxy: TcpProxy;
	let store: MongodbStore;

	beforeEach(async () => {
		set = await MongodSet.start(1);
		proxy = await TcpProxy.listen(portOf(set));
		store = new MongodbStore({ url: `mongodb://127.0.0.1:${proxy.port}/?directConnection=true` });
		await store.open([things]);
		await store.insert(things, { id: "a", wire: "{}", rev: 1 });
	});

	afterEach(async () => {
		proxy.pass();
		await store.close();
		await proxy[Symbol.asyncDispose]();
		await set[Symbol.asyncDispose]();
	});

	it("is undecided when the driver finds no server to repeat it; the next one, which is not sent at all, is an outage", async () => {
		const change = (rev: number) =>
			failureOf(store.update(things, "a", { equals: { rev } }, { set: { rev: rev + 1 } }));
		proxy.hold(["down"]);
		const sent = change(1);
		await hasRevision(set, 2);
		proxy.refuse();
		expect(await sent).to.include({ type: "STORE_UNDECIDED" });
		expect(await change(2)).to.include({ type: "STORE_UNREACHABLE" });
	});

	it("is undecided when the connection is reset before all of it was sent", async () => {
		proxy.hold(["up"]);
		const write = failureOf(store.insert(things, { id: "large", wire: tooMuchAtOnce, rev: 1 }));
		await eventually(() => proxy.heldBytes > 10_000, { what: "a part of the write is sent" });
		proxy.refuse();
		expect(await write).to.include({ type: "STORE_UNDECIDED" });
	});
});

function portOf({ members: [server] }: MongodSet): number {
	if (!server) throw new Error("The set has no member");
	return server.port;
}

/** Resolves when the server has the revision, whatever the proxy passes. */
async function hasRevision(set: MongodSet, rev: number): Promise<void> {
	await using client = new MongoClient(`mongodb://127.0.0.1:${portOf(set)}/?directConnection=true`);
	const all = client.db("atelier").collection("things");
	await eventually(async () => (await all.countDocuments({ rev })) === 1, { what: "the write is done" });
}
