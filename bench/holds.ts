/**
 * `node bench/holds.ts` compares reservations of a day with many holds, as of commit 35da4e64 and now, in turns in the same
 * run: lost races, written bytes and processor time. Three processes are three repositories over one server of MongoDB.
 */
import { loadavg } from "node:os";
import { join } from "node:path";
import type * as accountsModule from "#services/sessions/books/day-accounts.ts";
import type * as ledgerModule from "#services/sessions/books/ledger.ts";
import type { Collection } from "#shared/store/collection.ts";
import { type DocumentStore, documentStoreMethods } from "#shared/store/document-store.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { FormerTree, formerCommit } from "../test/support/rolling/former-tree.ts";
import { MongodSet } from "../test/support/stores/mongod-set.ts";
import { interleaved, median } from "./rounds.ts";

type AccountsModule = Pick<typeof accountsModule, "DayAccounts" | "dayOf">;
type LedgerModule = Pick<typeof ledgerModule, "Ledger">;
type Accounts = InstanceType<AccountsModule["DayAccounts"]>;

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

/** The accounts of one version in several processes. */
class Version implements AsyncDisposable {
	readonly #counts: Counts = { writes: 0, lost: 0, bytes: 0 };
	readonly #store: MongodbStore;
	readonly #accounts: readonly Accounts[];
	readonly #day: string;
	#made = 0;

	private constructor(store: MongodbStore, { DayAccounts, dayOf }: AccountsModule, { Ledger }: LedgerModule) {
		this.#store = store;
		this.#day = dayOf(Date.now());
		const counted = counting(store, this.#counts);
		this.#accounts = Array.from({ length: processes }, () => new DayAccounts(counted, new Ledger(counted)));
	}

	/** Opens the version of these sources with its holds. */
	static async open(root: string, url: string, database: string): Promise<Version> {
		const books = join(root, "services/sessions/books");
		const collections: Record<string, Collection> = await import(join(books, "collections.ts"));
		const { ledgerCollection }: { ledgerCollection: Collection } = await import(join(books, "ledger-collection.ts"));
		const store = new MongodbStore({ url, database });
		await store.open([ledgerCollection, ...Object.values(collections)]);
		const version = new Version(
			store,
			await import(join(books, "day-accounts.ts")),
			await import(join(books, "ledger.ts")),
		);
		const [first] = version.#accounts;
		for (let n = 0; n < parked; n++) await version.#hold(first, `s:parked-${n}`);
		return version;
	}

	/** Makes and releases reservations in all processes at once. */
	async round(): Promise<Cost> {
		Object.assign(this.#counts, { writes: 0, lost: 0, bytes: 0 });
		let refused = 0;
		const cpu = process.cpuUsage();
		const turn = async (accounts: Accounts) => {
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

	#hold(accounts: Accounts | undefined, id: string): Promise<number> {
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
using tree = new FormerTree(formerCommit);
await using set = await MongodSet.start(1);
await using before = await Version.open(tree.root, set.url, "before");
await using after = await Version.open(projectRoot, set.url, "after");
const samples = await interleaved({ former: () => before.round(), present: () => after.round() }, rounds);
const [former, present] = [middle(samples.former), middle(samples.present)];
console.log(`| a reservation and its release | ${formerCommit} | now | now ÷ then |\n|---|---|---|---|`);
const names: Record<keyof Cost, string> = {
	writes: "writes, of which some lose",
	lost: "lost races",
	refused: "refusals after 50 lost races",
	bytes: "bytes written",
	cpuMicros: "µs of processor time",
};
for (const [member, name] of Object.entries(names) as [keyof Cost, string][]) {
	const [old, young] = [former[member], present[member]];
	console.log(`| ${name} | ${old.toFixed(2)} | ${young.toFixed(2)} | ${old === 0 ? "" : (young / old).toFixed(3)} |`);
}
