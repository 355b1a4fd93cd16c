/** The mark of an import and the turn that it belongs to, when commands follow each other and stall. */
import { expect } from "chai";
import { MongoClient } from "mongodb";
import { claimImport, importCollection, isHalfImported, markImport, settleImport } from "#host/archive/import-mark.ts";
import { ImportTurn } from "#host/archive/import-turn.ts";
import { monotonic } from "#shared/base/clock.ts";
import { leaseCollection } from "#shared/store/leases/lease-collection.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { failureOf } from "../../support/failure-of.ts";
import { startMongodbEndpoint } from "../../support/stores/mongodb-endpoint.ts";
import { MongodSet, withoutMongod } from "../../support/stores/mongod-set.ts";

const confirm = async () => {};

describe("the mark of an import", function () {
	this.timeout(180_000);
	let closing: AsyncDisposableStack;

	beforeEach(() => void (closing = new AsyncDisposableStack()));
	afterEach(() => closing.disposeAsync());

	async function storeAt(url: string): Promise<MongodbStore> {
		const store = closing.adopt(new MongodbStore({ url }), (one) => one.close());
		await store.open([importCollection, leaseCollection]);
		return store;
	}

	async function onEndpoint(): Promise<MongodbStore> {
		return storeAt(closing.adopt(await startMongodbEndpoint(), (one) => one.close()).url);
	}

	it("belongs to the newest command, and no earlier one sets it", async () => {
		const store = await onEndpoint();
		const first = await claimImport(store, confirm);
		expect(first).to.deep.equal({ turns: 1, wasHalf: false });
		const second = await claimImport(store, confirm);
		expect(second).to.deep.equal({ turns: 2, wasHalf: true });
		expect(await settleImport(store, first.turns)).to.equal(false);
		expect(await isHalfImported(store)).to.equal(true);
		expect(await settleImport(store, second.turns)).to.equal(true);
		expect(await isHalfImported(store)).to.equal(false);
	});

	for (const former of ["none", "of a former version", "of this version"])
		it(`is not taken by a command that stalled after it was confirmed, with a mark before: ${former}`, async () => {
			const store = await onEndpoint();
			if (former !== "none") await markImport(store, "done");
			if (former === "of this version") await settleImport(store, (await claimImport(store, confirm)).turns);
			let asked = 0;
			const lost = async () => {
				if (asked++ > 0) throw new Error("The turn is lost");
				const { turns } = await claimImport(store, confirm);
				await settleImport(store, turns);
			};
			expect((await failureOf<Error>(claimImport(store, lost))).message).to.equal("The turn is lost");
			expect(await isHalfImported(store)).to.equal(false);
		});

	it("waits for a write that a stalled command has begun, on a MongoDB server", async function () {
		if (withoutMongod !== undefined) return this.skip();
		const { url } = closing.use(await MongodSet.start(1));
		const store = await storeAt(url);
		await markImport(store, "done");
		const client = closing.adopt(await MongoClient.connect(url), (one) => one.close());
		const session = client.startSession();
		session.startTransaction();
		const marks = client.db("atelier").collection("store_imports");
		await marks.updateOne({ state: "done" }, { $inc: { _fenced: 1 } }, { session });
		const said: string[] = [];
		await using turn = await ImportTurn.begin(store);
		const since = monotonic();
		const ended = turn.claim((line) => {
			said.push(line);
			void session.abortTransaction();
		});
		await ended;
		expect(said).to.have.length(1);
		expect(said[0]).to.include("A write of another command");
		expect(monotonic() - since, "milliseconds").to.be.below(30_000);
		await session.endSession();
		await turn.settle();
		expect(await isHalfImported(store)).to.equal(false);
	});
});
