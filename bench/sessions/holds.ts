/**
 * `node bench/writes/holds.ts` measures reservations of a day with many holds: lost races, written bytes and processor time. Three
 * processes are three repositories over one server of MongoDB.
 */
import { loadavg } from "node:os";
import * as books from "#services/sessions/books/collections.ts";
import { DayAccounts, dayOf } from "#services/sessions/books/day-accounts.ts";
import { Ledger } from "#services/sessions/books/ledger.ts";
import { ledgerCollection } from "#services/sessions/books/ledger-collection.ts";
import { type DocumentStore, documentStoreMethods } from "#shared/store/document-store.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { MongodSet } from "../../test/support/stores/mongod-set.ts";
import { median } from "../rounds.ts";

const parked = 1_000;
const processes = 3;
/** The reservations under way in each process, and how many each of them makes and releases in a round. */
const turns = 8;
const perTurn = 5;
const rounds = 5;
const limit = 1_000_000_000;
const payer = { tenant: "acme" };

interface Counts {
	writes: number;
	lost: number;
	bytes: number;
}

/** The cost of one reservation with its release. */
interface Cost extends Counts {
	/** Refusals because the account changes too fast; the reservation is repeated. */
	refused: number;
	cpuMicros: number;
}

/** Counts the writes of a store, those that lost a race, and the bytes of their JSON. */
function counting(store: DocumentStore, counts: Counts): DocumentStore {
	const bound = Object.fromEntries(documentStoreMethods.map((name) => [name, store[name].bind(store)]));
	const note = (written: unknown) => {
		counts.writes++;
		counts.bytes += JSON.stringify(written).length;
	};
	const counted: Pick<DocumentStore, "insert" | "append" | "update"> = {
		insert(collection, document, events) {
			note(document);
			return store.insert(collection, document, events);
		},
		append(collection, documents) {
			note(documents);
			return store.append(collection, documents);
		},
		async update(...write) {
			note(write[3]);
			const written = await store.update(...write);
			if (!written) counts.lost++;
			return written;
		},
	};
	return { ...(bound as unknown as DocumentStore), isShared: store.isShared, ...counted };
}

/** The accounts in several processes. */
class Processes implements AsyncDisposable {
	readonly #counts: Counts = { writes: 0, lost: 0, bytes: 0 };
	readonly #store: MongodbStore;
	readonly #accounts: readonly DayAccounts[];
	readonly #day: string;
	#made = 0;

	private constructor(store: MongodbStore) {
		this.#store = store;
		this.#day = dayOf(Date.now());
		const counted = counting(store, this.#counts);
		this.#accounts = Array.from({ length: processes }, () => new DayAccounts(counted, new Ledger(counted)));
	}

	/** Opens the accounts with their holds. */
	static async open(url: string): Promise<Processes> {
		const store = new MongodbStore({ url, database: "holds" });
		await store.open([ledgerCollection, ...Object.values(books)]);
		const all = new Processes(store);
		const [first] = all.#accounts;
		for (let n = 0; n < parked; n++) await all.#hold(first, `s:parked-${n}`);
		return all;
	}

	/** Makes and releases reservations in all processes at once. */
	async round(): Promise<Cost> {
		Object.assign(this.#counts, { writes: 0, lost: 0, bytes: 0 });
		let refused = 0;
		const cpu = process.cpuUsage();
		const turn = async (accounts: DayAccounts) => {
			for (let n = 0; n < perTurn; n++) {
				const id = `s:turn-${this.#made++}`;
				refused += await this.#hold(accounts, id);
				refused += await insisting(() => accounts.release(payer, this.#day, id));
			}
		};
		await Promise.all(this.#accounts.flatMap((accounts) => Array.from({ length: turns }, () => turn(accounts))));
		const { user, system } = process.cpuUsage(cpu);
		const made = processes * turns * perTurn;
		const { writes, lost, bytes } = this.#counts;
		return {
			writes: writes / made,
			lost: lost / made,
			bytes: bytes / made,
			refused: refused / made,
			cpuMicros: (user + system) / made,
		};
	}

	#hold(accounts: DayAccounts | undefined, id: string): Promise<number> {
		return insisting(() => accounts?.hold(payer, this.#day, limit, { id, used: 0, next: 1_000 }));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#store.close();
	}
}

/** Repeats a request while the account changes too fast; resolves to the count of refusals. */
async function insisting(send: () => Promise<unknown> | undefined): Promise<number> {
	for (let refusals = 0; ; refusals++) {
		try {
			await send();
			return refusals;
		} catch (error) {
			const isBusy = error instanceof Error && "type" in error && error.type === "UNAVAILABLE";
			if (!isBusy || refusals === 100) throw error;
		}
	}
}

function middle(costs: readonly Cost[]): Cost {
	const of = (member: keyof Cost) => median(costs.map((cost) => cost[member]));
	return {
		writes: of("writes"),
		lost: of("lost"),
		bytes: of("bytes"),
		refused: of("refused"),
		cpuMicros: of("cpuMicros"),
	};
}

console.log(`Load of the machine: ${loadavg()[0]?.toFixed(1)}; ${parked} holds, ${processes} processes\n`);
await using set = await MongodSet.start(1);
await using all = await Processes.open(set.url);
const samples: Cost[] = [];
for (let round = 0; round < rounds; round++) samples.push(await all.round());
const cost = middle(samples);
console.log("| a reservation and its release | |\n|---|---|");
const names: Record<keyof Cost, string> = {
	writes: "writes, of which some lose",
	lost: "lost races",
	refused: "refusals after 50 lost races",
	bytes: "bytes written",
	cpuMicros: "µs of processor time",
};
for (const [member, name] of Object.entries(names) as [keyof Cost, string][])
	console.log(`| ${name} | ${cost[member].toFixed(2)} |`);
