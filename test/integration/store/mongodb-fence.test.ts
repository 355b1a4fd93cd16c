/**
 * Writes with a fence against the write that ends it, on the endpoint that speaks MongoDB's protocol and, if there is one, on a
 * real server.
 */
import { expect } from "chai";
import { defineCollection } from "#shared/store/collection.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { FenceLostError } from "#shared/store/port/fence.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { startMongodbEndpoint } from "../../support/stores/mongodb-endpoint.ts";
import { MongodSet, withoutMongod } from "../../support/stores/mongod-set.ts";

const claims = defineCollection("claims", { turns: "integer" }, {});
const things = defineCollection("things", { rev: "integer" }, { by_rev: { columns: ["rev"] } });

async function endpoint(): Promise<AsyncDisposable & { readonly url: string }> {
	const started = await startMongodbEndpoint();
	return { url: started.url, [Symbol.asyncDispose]: () => started.close() };
}

const servers = { "MongoDB's wire protocol": endpoint, "a MongoDB server": () => MongodSet.start(1) };

for (const [name, start] of Object.entries(servers))
	describe(`a fence of the store on ${name}`, function () {
		this.timeout(180_000);
		let server: AsyncDisposable & { readonly url: string };
		let store: MongodbStore;
		const fence = (turns: number) => ({ collection: claims, id: "claim", equals: { turns } });
		const thing = (id: string) => ({ id, wire: "{}", rev: 1 });
		const claim = (from: number) =>
			store.update(claims, "claim", { equals: { turns: from } }, { set: { turns: from + 1 } });
		const count = () => store.count(things, "by_rev", { equals: [] });

		before(async function () {
			if (start !== endpoint && withoutMongod !== undefined) return this.skip();
			server = await start();
		});
		after(() => server?.[Symbol.asyncDispose]());
		beforeEach(async () => {
			store = new MongodbStore({ url: server.url });
			await store.open([claims, things]);
			await store.insert(claims, { id: "claim", wire: "{}", turns: 1 });
		});
		afterEach(async () => {
			const { documents } = await store.find(things, "by_rev", { equals: [] }, { limit: 500 });
			await store.removeMany(
				things,
				documents.map(({ id }) => id),
			);
			await store.remove(claims, "claim", {});
			await store.close();
		});

		it("lets every write happen while its document is as it was", async () => {
			const fenced = store.fenced(fence(1));
			expect(await fenced.append(things, [thing("a"), thing("b")])).to.deep.equal({ inserted: 2 });
			await fenced.insert(things, thing("c"));
			expect(await fenced.update(things, "c", {}, { set: { rev: 2 } })).to.include({ rev: 2 });
			expect(await fenced.remove(things, "b", {})).to.equal(true);
			await fenced.removeMany(things, ["a"]);
			expect(await count()).to.equal(1);
			expect(await store.get(claims, "claim")).to.deep.equal({ id: "claim", wire: "{}", turns: 1 });
		});

		it("refuses every write when its document has changed", async () => {
			await store.insert(things, thing("a"));
			await claim(1);
			const fenced = store.fenced(fence(1));
			for (const write of [
				() => fenced.append(things, [thing("b")]),
				() => fenced.insert(things, thing("b")),
				() => fenced.update(things, "a", {}, { set: { rev: 2 } }),
				() => fenced.remove(things, "a", {}),
				() => fenced.removeMany(things, ["a"]),
			])
				expect(await failureOf(write())).to.be.instanceOf(FenceLostError);
			expect(await store.get(things, "a")).to.include({ rev: 1 });
			expect(await count()).to.equal(1);
		});

		it("writes nothing of a batch that collides, and says with which key", async () => {
			await store.insert(things, thing("b"));
			const batch = ["a", "b", "c"].map(thing);
			expect(await store.fenced(fence(1)).append(things, batch)).to.include({ clash: "id" });
			expect(await count()).to.equal(1);
		});

		it("lets nothing more happen after the write that ends it, while a writer goes on", async () => {
			const fenced = store.fenced(fence(1));
			const write = async () => {
				for (let n = 0; n < 200; n++) await fenced.append(things, [thing(`${n}-a`), thing(`${n}-b`)]);
			};
			const writing = failureOf(write());
			await eventually(async () => (await count()) > 4, { everyMs: 1 });
			expect(await claim(1)).to.include({ turns: 2 });
			const seen = await count();
			expect(await writing).to.be.instanceOf(FenceLostError);
			expect(await count()).to.equal(seen);
		});
	});

it("a batch that reaches the store after the write that ends its fence does not happen", async () => {
	await using closing = new AsyncDisposableStack();
	const slow = closing.adopt(await startMongodbEndpoint(), (one) => one.close());
	const store = closing.adopt(new MongodbStore({ url: slow.url }), (one) => one.close());
	await store.open([claims, things]);
	await store.insert(claims, { id: "claim", wire: "{}", turns: 1 });
	slow.slowDown("insert", 500);
	const fenced = store.fenced({ collection: claims, id: "claim", equals: { turns: 1 } });
	const late = failureOf(fenced.append(things, [{ id: "late", wire: "{}", rev: 1 }]));
	const inserts = slow.received.get("insert") ?? 0;
	await eventually(async () => (slow.received.get("insert") ?? 0) > inserts, { everyMs: 5 });
	expect(await store.update(claims, "claim", { equals: { turns: 1 } }, { set: { turns: 2 } })).to.include({ turns: 2 });
	expect(await late).to.be.instanceOf(FenceLostError);
	expect(await store.get(things, "late")).to.equal(undefined);
});
