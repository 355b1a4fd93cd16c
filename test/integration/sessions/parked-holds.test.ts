/**
 * Days with many turns at once: their holds are in documents of their own, and count exactly once with several writers,
 * and writers that die at any step.
 */
import { expect } from "chai";
import { dayAccountCollection, dayHoldCollection } from "#services/sessions/books/collections.ts";
import { DayAccounts, dayOf } from "#services/sessions/books/day-accounts.ts";
import { Ledger } from "#services/sessions/books/ledger.ts";
import { ledgerCollection, type LedgerRow } from "#services/sessions/books/ledger-collection.ts";
import { now, turnClock } from "#shared/base/clock.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { Random } from "../../faults/random.ts";
import { fromNoonOn } from "../../support/machine/from-noon-on.ts";
import { insistently } from "../../support/insistently.ts";
import { laxStore } from "../../support/stores/lax-store.ts";
import { mortalStore } from "../../support/stores/mortal-store.ts";
import { openEmbedded, openOnEndpoint } from "../../support/stores/open-stores.ts";

const payer = { tenant: "acme" };
const account = (day: string) => JSON.stringify(["acme", day]);
const collections = [ledgerCollection, dayAccountCollection, dayHoldCollection] as const;
const micros = 1_000;
const limit = 100_000_000;

function open(store: DocumentStore) {
	const ledger = new Ledger(store);
	return { ledger, accounts: new DayAccounts(store, ledger) };
}

function hold(accounts: DayAccounts, id: string, next = micros, most = limit) {
	return insistently(() => accounts.hold(payer, dayOf(now()), most, { id, used: 0, next }));
}

/** Returns a row of the ledger that a hold pays for. */
function spentRow(session: string, reservation: string, cost: number): LedgerRow {
	const at = now();
	const who = { tenant: "acme", owner: "ada", session, reservation, day: dayOf(at) };
	const what = { source: "metered", provider: "cloud", tokens: 1, micros: cost };
	return { id: `${session}.${reservation}.${at}.${cost}.${Math.random()}`, wire: "{}", at, ...who, ...what };
}

async function bytesOf(store: DocumentStore): Promise<number> {
	return JSON.stringify(await store.get(dayAccountCollection, account(dayOf(now())))).length;
}

/** Resolves to what is committed when all holds have ended by themselves. */
async function committedAtTheEnd(store: DocumentStore): Promise<{ committed: number; spent: number; parked: number }> {
	const day = dayOf(now());
	const later = now() + 700_000;
	const turnBack = turnClock({ now: () => later, monotonic: () => performance.now() });
	try {
		const { accounts } = open(store);
		const { committed, spent } = await accounts.totals(payer, day);
		await insistently(() => accounts.hold(payer, day, 2 * limit, { id: "s:last", used: 0, next: 1 }));
		await accounts.release(payer, day, "s:last");
		const after = await accounts.totals(payer, day);
		expect({ committed: after.committed, spent: after.spent }).to.deep.equal({ committed, spent });
		const parked = await store.count(dayHoldCollection, "of_account", { equals: [account(day)] });
		return { committed, spent, parked };
	} finally {
		turnBack();
	}
}

for (const [name, openStore] of [
	["embedded store", openEmbedded],
	["MongoDB", openOnEndpoint],
] as const) {
	describe(`holds of a day, ${name}`, function () {
		this.timeout(60_000);
		fromNoonOn();
		let opened: Awaited<ReturnType<typeof openStore>>;
		let store: DocumentStore;

		beforeEach(async () => {
			opened = await openStore(collections);
			({ store } = opened);
		});
		afterEach(() => opened.discard());

		it("are parked beyond a few, found again, and count once", async () => {
			const processes = [open(store), open(store)] as const;
			const ids = Array.from({ length: 100 }, (_, n) => `s${n}:r`);
			for (let n = 0; n < ids.length; n += 20)
				await Promise.all(ids.slice(n, n + 20).map((id, at) => hold(processes[at % 2 === 0 ? 0 : 1].accounts, id)));
			expect(await bytesOf(store), "bytes of the account").to.be.below(10_000);
			const day = dayOf(now());
			const { accounts, ledger } = processes[0];
			expect(await accounts.totals(payer, day)).to.include({ spent: 0, committed: 100 * micros });
			for (const id of ids.slice(0, 10)) expect(await hold(accounts, id), "held already").to.equal(0);
			expect(await hold(accounts, "s50:r", 3 * micros)).to.equal(2 * micros);
			await ledger.add(spentRow("s51", "r", 400));
			const expected = { spent: 400, committed: 102 * micros };
			expect(await accounts.totals(payer, day), "before it is booked").to.include(expected);
			await processes[1].accounts.book(payer, day);
			expect(await accounts.totals(payer, day)).to.include(expected);
			await Promise.all(ids.map((id, at) => processes[at % 2 === 0 ? 0 : 1].accounts.release(payer, day, id)));
			expect(await accounts.totals(payer, day)).to.include({ spent: 400, committed: 400 });
		});

		it("never pass the limit, which a store without guards shows", async () => {
			const rush = async (on: DocumentStore) => {
				const processes = [open(on), open(on), open(on)] as const;
				const asked = Array.from({ length: 90 }, (_, n) =>
					hold(processes[n % 3]!.accounts, `s${n}:r`, micros, 60.5 * micros),
				);
				return (await Promise.all(asked)).filter((by) => by === micros).length;
			};
			expect(await rush(store)).to.equal(60);
			expect(await open(store).accounts.totals(payer, dayOf(now()))).to.include({ committed: 60 * micros });
			const lax = await openStore(collections);
			const granted = await rush(laxStore(lax.store, "limits"));
			await lax.discard();
			expect(granted, "control").to.equal(90);
		});

		it("never pass the limit when the clock of a second process is behind that of the first", async () => {
			const day = dayOf(now());
			const { accounts } = open(store);
			await Promise.all(Array.from({ length: 60 }, (_, n) => hold(accounts, `s${n}:r`, micros, 60.5 * micros)));
			const behind = now() - 4_000;
			const turnBack = turnClock({ now: () => behind, monotonic: () => performance.now() });
			try {
				const wanted = { id: "s:more", used: 0, next: micros };
				expect(await open(store).accounts.hold(payer, day, 60.5 * micros, wanted)).to.equal(undefined);
				expect(await open(store).accounts.totals(payer, day)).to.include({ committed: 60 * micros });
			} finally {
				turnBack();
			}
		});

		it("end 10 min after their turn died, wherever they are", async () => {
			const { accounts } = open(store);
			await Promise.all(Array.from({ length: 120 }, (_, n) => hold(accounts, `s${n}:r`)));
			expect(await committedAtTheEnd(store)).to.deep.equal({ committed: 0, spent: 0, parked: 0 });
		});

		it("end with the pod of their session, wherever they are", async () => {
			const { accounts } = open(store);
			const ids = Array.from({ length: 120 }, (_, n) => `${n % 3 === 0 ? "lost" : `lost${n}`}:r${n}`);
			await Promise.all(ids.map((id) => hold(accounts, id)));
			const day = dayOf(now());
			expect(await store.count(dayHoldCollection, "of_account", { equals: [account(day)] })).to.be.greaterThan(60);
			await Promise.all([accounts.releaseAll(payer, day, "lost"), open(store).accounts.releaseAll(payer, day, "lost")]);
			expect(await accounts.totals(payer, day)).to.include({ committed: 80 * micros });
			await accounts.releaseAll(payer, day, "lost");
			expect(await accounts.totals(payer, day)).to.include({ committed: 80 * micros });
			expect(await committedAtTheEnd(store)).to.deep.equal({ committed: 0, spent: 0, parked: 0 });
		});

		it("count once when writers die at any step", async () => {
			const random = new Random(7);
			const acknowledged = new Set<string>();
			let uncertain = 0;
			for (let life = 0; life < 10; life++) {
				const { accounts, ledger } = open(mortalStore(store, Math.ceil(random.between(5, 60))));
				const day = dayOf(now());
				for (let n = 0; n < 40; n++) {
					const id = `s${life}.${n}:r`;
					const [old] = acknowledged;
					try {
						if (random.next() < 0.6) {
							uncertain++;
							await accounts.hold(payer, day, limit, { id, used: 0, next: micros });
							acknowledged.add(id);
							uncertain--;
						} else if (old !== undefined) {
							acknowledged.delete(old);
							uncertain++;
							await accounts.release(payer, day, old);
							uncertain--;
							await ledger.add(spentRow("s", "none", 7));
							await accounts.book(payer, day);
						}
					} catch {
						break;
					}
				}
				const { committed, spent } = await open(store).accounts.totals(payer, day);
				const held = acknowledged.size * micros;
				expect(committed - spent, `life ${life}`).to.be.within(held, held + uncertain * micros);
			}
			const { committed, spent, parked } = await committedAtTheEnd(store);
			expect({ committed, parked }).to.deep.equal({ committed: spent, parked: 0 });
		});

		it("leave no documents a day after they have ended", async () => {
			const { accounts } = open(store);
			await Promise.all(Array.from({ length: 60 }, (_, n) => hold(accounts, `s${n}:r`)));
			const count = () => store.count(dayHoldCollection, "old", { equals: [] });
			await accounts.sweep();
			expect(await count()).to.be.above(20);
			const later = now() + 25 * 3_600_000;
			const turnBack = turnClock({ now: () => later, monotonic: () => performance.now() });
			await accounts.sweep().finally(turnBack);
			expect(await count()).to.equal(0);
		});
	});
}
