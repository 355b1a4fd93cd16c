/**
 * Indexes that change between two starts, on the endpoint that speaks MongoDB's protocol and, if there is one, on a
 * real server.
 */
import { expect } from "chai";
import { type Db, MongoClient } from "mongodb";
import { turnClock } from "#shared/base/clock.ts";
import { defineCollection } from "#shared/store/collection.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import type { TurnDocument } from "#shared/store/mongodb/mongodb-turn.ts";
import { startMongodbEndpoint } from "../../support/stores/mongodb-endpoint.ts";
import { MongodSet, withoutMongod } from "../../support/stores/mongod-set.ts";

const columns = { a: "text", b: "text" } as const;
const former = defineCollection("things", columns, {
	by_one: { columns: ["a"] },
	only: { columns: ["a"], unique: true },
});
const changed = defineCollection("things", columns, {
	by_one: { columns: ["b"] },
	only: { columns: ["b"], unique: true },
});
const changedNames = ["_id_", "_outbox:_outbox_since,_id", "by_one:b,_id", "only:b"];

interface Server extends AsyncDisposable {
	readonly url: string;
}

async function endpoint(): Promise<Server> {
	const started = await startMongodbEndpoint();
	return { url: started.url, [Symbol.asyncDispose]: () => started.close() };
}

const servers = [
	{ name: "MongoDB's wire protocol", start: endpoint, leftOut: undefined, documents: 200 },
	{ name: "a real MongoDB server", start: () => MongodSet.start(1), leftOut: withoutMongod, documents: 20_000 },
];

for (const { name, start, leftOut, documents } of servers) {
	if (leftOut !== undefined) {
		it(`indexes on ${name} change between two starts (M12): ${leftOut}`);
		continue;
	}
	describe(`indexes on ${name}`, function () {
		this.timeout(180_000);
		let server: Server;
		let client: MongoClient;
		let database: Db;
		let number = 0;

		before(async () => {
			server = await start();
			client = await MongoClient.connect(server.url);
		});
		beforeEach(() => void (database = client.db(`indexes_${++number}`)));
		after(async () => {
			await client?.close();
			await server?.[Symbol.asyncDispose]();
		});

		async function open(collection: typeof former | typeof changed): Promise<void> {
			const store = new MongodbStore({ url: server.url, database: database.databaseName });
			try {
				await store.open([collection]);
			} finally {
				await store.close();
			}
		}

		/** The names of the existing indexes. */
		async function indexes(): Promise<string[]> {
			const present = await database.collection("things").listIndexes().toArray();
			return present.map((index) => index.name ?? "");
		}

		async function fill(): Promise<void> {
			const ids = Array.from({ length: documents }, (_, n) => `t${n}`);
			const things = ids.map((_id) => ({ _id, wire: "{}", a: _id, b: `${_id}b` }));
			await database.collection<{ _id: string }>("things").insertMany(things, { ordered: true });
		}

		it("change with their columns, over documents that are there (M12)", async () => {
			await open(former);
			await fill();
			await open(changed);
			expect(await indexes()).to.have.members(changedNames);
			await open(former);
			expect(await indexes())
				.to.include("only:a")
				.and.not.include("only:b");
		});

		it("change once when several processes start at a time (M12)", async () => {
			await open(former);
			await fill();
			await Promise.all(Array.from({ length: 4 }, () => open(changed)));
			expect(await indexes()).to.have.members(changedNames);
			expect(await database.collection("store_turns").countDocuments({})).to.equal(0);
		});

		it("of an older version, or made by hand, are kept, or replaced if they conflict (M12)", async () => {
			const things = database.collection("things");
			await things.createIndex({ _outbox_since: 1, _id: 1 }, { name: "_outbox" });
			await things.createIndex({ b: 1 }, { name: "only", unique: true });
			await things.createIndex({ a: 1, _id: 1 }, { name: "by_one" });
			await things.createIndex({ a: 1, b: 1 }, { name: "of_the_operator" });
			await open(changed);
			expect(await indexes()).to.have.members(["_id_", "_outbox", "by_one:b,_id", "of_the_operator", "only"]);
		});

		it("do not wait for a process that died while it made them (M12)", async () => {
			await database.collection<TurnDocument>("store_turns").insertOne({ _id: "indexes", holder: "gone", beat: 3 });
			// The test makes the 15 s a moment.
			const putBack = turnClock({ now: Date.now, monotonic: () => performance.now() * 50 });
			try {
				await open(changed);
			} finally {
				putBack();
			}
			expect(await indexes()).to.have.members(changedNames);
		});
	});
}

describe("an index that takes longer than any other operation may", () => {
	it("is waited for (M12)", async function () {
		this.timeout(60_000);
		const slow = await startMongodbEndpoint();
		const store = new MongodbStore({ url: slow.url });
		try {
			slow.slowDown("createIndexes", 6_000);
			await store.open([defineCollection("things", columns, {})]);
			expect(slow.received.get("createIndexes")).to.equal(1);
		} finally {
			await store.close();
			await slow.close();
		}
	});
});
