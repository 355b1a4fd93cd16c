/** Runs the migrations of a process at its start: each once in the life of a store, under a lease. */
import { monotonic, now, sleep } from "#shared/base/clock.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { Lease, Leases } from "../leases/leases.ts";
import { StartError } from "#shared/base/start-error.ts";
import type { Document } from "../collection.ts";
import type { DocumentStore } from "../document-store.ts";
import { insertOnce } from "../insert-once.ts";
import { type Migration, MigrationLost, type Migrations } from "./migration.ts";
import { migrationCollection } from "./migration-collection.ts";

/** The name of the lease; only one migration runs at a time. */
const leaseName = "migrations";
/** The interval at which a process looks whether another one is done, in milliseconds. */
const lookMs = 200;
/** A wait or a migration that is shorter is not worth a sentence; the interval of sentences, in milliseconds. */
const firstWordMs = 2_000;
const wordsEveryMs = 15_000;
/** Most migrations of one service that are read; a service has a few. */
const most = 500;

export interface MigrationRun {
	readonly store: DocumentStore;
	readonly leases: Leases;
	readonly migrations: Migrations;
	/** Prints a sentence for the person who starts the process. */
	readonly announce: (sentence: string) => void;
}

type MigrationRecord = Document<(typeof migrationCollection)["columns"]>;

/**
 * Resolves when all migrations are done, by this process or another one.
 * @throws {StartError} when one fails, or the data has a form that this release does not know.
 */
export async function runMigrations(run: MigrationRun): Promise<void> {
	for (const [service, own] of run.migrations) {
		const records = await recordsOf(run.store, service);
		refuseNewer(service, own, records);
		const done = new Set(records.filter(({ state }) => state === "done").map(({ version }) => version));
		const pending = own.filter(({ version }) => !done.has(version)).toSorted((a, b) => a.version - b.version);
		for (const migration of pending) await bring(run, service, migration);
	}
}

async function recordsOf(store: DocumentStore, service: string): Promise<MigrationRecord[]> {
	return (await store.find(migrationCollection, "by_service", { equals: [service] }, { limit: most })).documents;
}

/** Refuses data that a newer release has contracted; what it has only expanded is understood. */
function refuseNewer(service: string, own: readonly Migration[], records: readonly MigrationRecord[]): void {
	const newest = Math.max(0, ...own.map(({ version }) => version));
	const unknown = records.find(({ version = 0, kind }) => version > newest && kind === "contract");
	if (!unknown) return;
	throw new StartError(
		`Cannot use the data of "${service}": a newer release has changed it (migration ${unknown.version}, ` +
			`"${unknown.name}"), and this one knows ${newest === 0 ? "no migration" : `migrations up to ${newest}`}; ` +
			"start the newer release, or restore a backup of before",
	);
}

/** Runs one migration, or waits until another process has run it. */
async function bring(run: MigrationRun, service: string, migration: Migration): Promise<void> {
	const words = new Words(run.announce, `migration ${migration.version} of "${service}", ${migration.name}`);
	for (;;) {
		if ((await run.store.get(migrationCollection, idOf(service, migration)))?.state === "done") return;
		const lease = await run.leases.acquire(leaseName);
		if (lease) {
			if (await runUnder(lease, run, { service, migration, words })) return;
		} else words.say("another process runs it");
		await sleep(lookMs);
	}
}

interface Turn {
	readonly service: string;
	readonly migration: Migration;
	readonly words: Words;
}

/** Returns whether the migration is done; false when the lease was lost. */
async function runUnder(lease: Lease, { store }: MigrationRun, turn: Turn): Promise<boolean> {
	const { service, migration, words } = turn;
	const id = idOf(service, migration);
	try {
		const begun = await begin(store, lease, turn);
		if (begun.state === "done") return true;
		const write = (set: Partial<MigrationRecord>) => writeRecord({ store, lease, id }, set);
		await migration.run({
			store,
			position: begun.position,
			reached: (position) => write({ position }),
			say: (progress) => words.say(progress),
		});
		failpoint("migrations.run");
		await write({ state: "done", at: now() });
		return true;
	} catch (error) {
		if (error instanceof MigrationLost) return false;
		throw failed(turn, error);
	} finally {
		await lease.release();
	}
}

/** Returns the record, which names this process's fence from now on. */
async function begin(store: DocumentStore, { fence }: Lease, { service, migration }: Turn): Promise<MigrationRecord> {
	const { version, name, kind } = migration;
	const id = idOf(service, migration);
	const found = await store.get(migrationCollection, id);
	if (found?.state === "done") return found;
	const first = { id, wire: "{}", service, version, name, kind, state: "begun", fence };
	if (!found && (await insertOnce(() => store.insert(migrationCollection, first)))) return first;
	const guard = { equals: { state: "begun", ...(found?.fence !== undefined && { fence: found.fence }) } };
	const taken = await store.update(migrationCollection, id, guard, { set: { fence } });
	if (!taken) throw new MigrationLost(`Another process runs migration "${id}"`);
	return taken;
}

interface RecordOfTurn {
	readonly store: DocumentStore;
	readonly lease: Lease;
	readonly id: string;
}

/** @throws {MigrationLost} when this process no longer has the lease, or another one has begun. */
async function writeRecord({ store, lease, id }: RecordOfTurn, set: Partial<MigrationRecord>): Promise<void> {
	const guard = { equals: { fence: lease.fence, state: "begun" } };
	const written = lease.isHeld && (await store.update(migrationCollection, id, guard, { set }));
	if (!written) throw new MigrationLost(`Another process runs migration "${id}"`);
}

function failed({ service, migration: { version, name, kind } }: Turn, cause: unknown): StartError {
	const reason = cause instanceof Error ? cause.message : String(cause);
	const way = kind === "contract" ? "; the release before cannot read the data any more" : "";
	return new StartError(
		`Cannot start: migration ${version} of "${service}", ${name}, failed: ${reason}. ` +
			`The next start goes on where it ended${way}`,
		{ cause },
	);
}

function idOf(service: string, { version }: Migration): string {
	return `${service}:${version}`;
}

/** The sentences about one migration, of which a short one needs none. */
class Words {
	readonly #announce: (sentence: string) => void;
	readonly #subject: string;
	#next = monotonic() + firstWordMs;

	constructor(announce: (sentence: string) => void, subject: string) {
		this.#announce = announce;
		this.#subject = subject;
	}

	say(progress: string): void {
		if (monotonic() < this.#next) return;
		this.#next = monotonic() + wordsEveryMs;
		this.#announce(`The start waits for ${this.#subject}: ${progress}`);
	}
}
