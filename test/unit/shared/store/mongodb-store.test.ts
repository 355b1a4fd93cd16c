/**
 * The duties of the MongoDB adapter alone: it reports what is known after a network failure, and uses only features
 * of every server.
 */
import { expect } from "chai";
import { MongoClient } from "mongodb";
import { TimeoutError, UnavailableError, UpstreamError } from "#shared/base/errors.ts";
import { defineCollection } from "#shared/store/collection.ts";
import { StartError } from "#shared/base/start-error.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { eventually } from "../../../support/eventually.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { type MongodbEndpoint, startMongodbEndpoint } from "../../../support/stores/mongodb-endpoint.ts";
import { event, job, jobs, log, sampleCollections } from "../../../support/stores/sample-collections.ts";

describe("MongodbStore", () => {
	let endpoint: MongodbEndpoint;
	let store: MongodbStore;

	beforeEach(async () => {
		endpoint = await startMongodbEndpoint();
		store = new MongodbStore({ url: endpoint.url });
		await store.open(sampleCollections);
	});

	afterEach(async () => {
		await store.close();
		await endpoint.close();
	});

	describe("when the answer to a write is lost", () => {
		it("finds the update in the document, and does not repeat it", async () => {
			await store.insert(jobs, job("a"));
			endpoint.loseAnswer("findAndModify");
			const updated = await store.update(jobs, "a", { equals: { rev: 1 } }, { inc: { rev: 1 } }, [event(1)]);
			expect(updated).to.deep.equal({ ...job("a"), rev: 2 });
			expect(endpoint.received.get("findAndModify")).to.equal(1);
			expect(await store.get(jobs, "a")).to.include({ rev: 2 });
			expect(await store.outbox(jobs, 5)).to.deep.equal([{ id: "a", entries: [event(1)] }]);
		});

		it("finds the inserted document, and another one that the id belongs to is nobody's success", async () => {
			const before = endpoint.received.get("insert") ?? 0;
			endpoint.loseAnswer("insert");
			await store.insert(jobs, job("a"), [event(1)]);
			expect(await store.outbox(jobs, 5)).to.deep.equal([{ id: "a", entries: [event(1)] }]);
			endpoint.loseAnswer("insert");
			expect(await failureOf(store.insert(jobs, job("a", { rev: 7 })))).to.include({ type: "STORE_UNDECIDED" });
			expect(await store.get(jobs, "a")).to.include({ rev: 1 });
			expect(endpoint.received.get("insert")).to.equal(before + 2);
		});

		it("reports that an update may have been made when the document shows another write, or its guard did not hold", async () => {
			await store.insert(jobs, job("a"));
			endpoint.loseAnswer("findAndModify");
			endpoint.slowDown("find", 300);
			const first = failureOf(store.update(jobs, "a", {}, { inc: { rev: 1 } }));
			await eventually(() => endpoint.received.get("findAndModify") === 1);
			await store.update(jobs, "a", {}, { inc: { rev: 1 } });
			expect(await first)
				.to.be.instanceOf(TimeoutError)
				.and.to.include({ type: "STORE_UNDECIDED" });
			expect(await store.get(jobs, "a")).to.include({ rev: 3 });
			endpoint.loseAnswer("findAndModify");
			const late = await failureOf(store.update(jobs, "a", { equals: { rev: 1 } }, { inc: { rev: 1 } }));
			expect(late).to.include({ type: "STORE_UNDECIDED" });
			expect(await store.get(jobs, "a")).to.include({ rev: 3 });
		});

		it("reports the lost write, and no failed reading, when the document cannot be read", async () => {
			await store.insert(jobs, job("a"));
			endpoint.slowDown("find", 10_000);
			endpoint.loseAnswer("findAndModify");
			const failure = await failureOf(store.update(jobs, "a", {}, { inc: { rev: 1 } }));
			expect(failure).to.be.instanceOf(TimeoutError).and.to.include({ type: "STORE_UNDECIDED" });
		});

		it("reports that appends and removals may have been made", async () => {
			const before = endpoint.received.get("insert") ?? 0;
			await store.insert(jobs, job("a"));
			endpoint.loseAnswer("insert");
			expect(await failureOf(store.append(log, [{ id: "l", wire: "", seq: 1 }]))).to.be.instanceOf(TimeoutError);
			endpoint.loseAnswer("delete");
			expect(await failureOf(store.remove(jobs, "a", {}))).to.be.instanceOf(TimeoutError);
			expect(endpoint.received.get("insert")).to.equal(before + 2);
			expect(await store.get(jobs, "a")).to.equal(undefined);
			expect(await store.get(log, "l")).to.include({ seq: 1 });
		});
	});

	it("repeats a read whose answer is lost", async () => {
		await store.insert(jobs, job("a"));
		endpoint.loseAnswer("find");
		expect(await store.get(jobs, "a")).to.deep.equal(job("a"));
	});

	it("reports that nothing was written without a server", async () => {
		await store.insert(jobs, job("a"));
		await endpoint.close();
		await failureOf(store.ping());
		const started = performance.now();
		const attempts = [
			store.update(jobs, "a", {}, { inc: { rev: 1 } }),
			store.append(log, [{ id: "l", wire: "", seq: 1 }]),
		];
		for (const failure of await Promise.all(attempts.map(failureOf)))
			expect(failure).to.be.instanceOf(UnavailableError).and.to.include({ type: "STORE_UNREACHABLE" });
		expect(performance.now() - started, "2 s are promised").to.be.lessThan(6_000);
		endpoint = await startMongodbEndpoint();
	});

	it("distinguishes a refusal of the server from a failure of the network", async () => {
		await store.insert(jobs, job("a", { notes: "no list" }));
		const failure = await failureOf(store.update(jobs, "a", {}, { push: { notes: 1 } }));
		expect(failure).to.be.instanceOf(UpstreamError).and.to.include({ type: "STORE_REFUSED" });
	});

	it("does not repeat the URL in its error", () => {
		for (const url of ["hunter2", "mongodb://us:er:hunter2@host", "mongodb://user:hunter2@host/?nonsense=hunter2"])
			expect(() => new MongodbStore({ url }))
				.to.throw(StartError)
				.with.property("stack")
				.that.does.not.include("hunter2");
	});

	it("refuses a URL that names another database than it uses, and says where it is without the password", () => {
		const url = "mongodb://user:hunter2@db1:27017,db2.example/other?replicaSet=rs0";
		for (const options of [{ url }, { url, database: "mine" }])
			expect(() => new MongodbStore(options))
				.to.throw(StartError, /names the database "other", and "store.kwargs.database" is "(atelier|mine)"/)
				.with.property("stack")
				.that.does.not.include("hunter2");
		for (const same of [
			{ url, database: "other" },
			{ url: url.replace("/other", "/"), database: "other" },
		])
			expect(new MongodbStore(same).place).to.equal('database "other" on "db1:27017, db2.example:27017"');
		expect(new MongodbStore({ url: "mongodb://db1" }).place).to.equal('database "atelier" on "db1:27017"');
		expect(new MongodbStore({ url: "mongodb://db1/atelier?w=1" }).place).to.include('"atelier"');
	});

	it("makes a unique index over documents from before it was declared", async () => {
		const before = defineCollection("things", { a: "text" }, {});
		const after = defineCollection(
			"things",
			{ a: "text", b: "text" },
			{ by_key: { columns: ["a", "b"], unique: true } },
		);
		await store.open([before]);
		for (const id of ["t1", "t2"]) await store.insert(before, { id, wire: "{}", a: "x" });
		await store.open([after]);
		await store.open([after]);
		expect(await store.get(after, "t1")).to.deep.equal({ id: "t1", wire: "{}", a: "x" });
		await store.update(after, "t1", {}, { set: { b: "y" } });
		expect(await failureOf(store.update(after, "t2", {}, { set: { b: "y" } }))).to.include({ key: "by_key" });
	});
});

describe("The MongoDB endpoint of the tests", () => {
	it("refuses features that the adapter does not use", async () => {
		const endpoint = await startMongodbEndpoint();
		const client = await MongoClient.connect(endpoint.url);
		try {
			const documents = client.db("test").collection<{ _id: string; a?: number }>("things");
			await documents.insertOne({ _id: "x", a: 1 });
			const unknown = [
				() => documents.findOne({ $where: "true" }),
				() => documents.findOne({ a: { $in: [1] } }),
				() => documents.find().skip(1).toArray(),
				() => documents.updateOne({ _id: "x" }, [{ $set: { a: 2 } }]),
				() => documents.updateOne({ _id: "x" }, { $mul: { a: 2 } }),
				() => documents.updateOne({ _id: "y" }, { $set: { a: 2 } }, { upsert: true }),
				() => documents.updateMany({}, { $set: { a: 2 } }),
				() => documents.deleteMany({}),
				() => documents.aggregate([{ $match: {} }]).toArray(),
				() => documents.createIndex({ a: 1 }, { partialFilterExpression: { a: 1 } }),
				() => documents.createIndex({ a: 1 }, { expireAfterSeconds: 1 }),
				() => documents.distinct("a"),
			];
			for (const attempt of unknown) expect(await failureOf(attempt()), attempt.toString()).to.be.instanceOf(Error);
			expect(await documents.findOne({ _id: "x" })).to.deep.equal({ _id: "x", a: 1 });
		} finally {
			await client.close();
			await endpoint.close();
		}
	});
});
