/** The repository of parked holds: one document for each hold of an account that has many (parked-holds.ts). */
import { now } from "#shared/base/clock.ts";
import type { Document } from "#shared/store/collection.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import { type Documents, maxAppended } from "#shared/store/port/documents.ts";
import { removeAll } from "#shared/store/remove-first.ts";
import { type Hold, holdId } from "../record/account.ts";
import { dayHoldCollection } from "./collections.ts";
import type { ParkedHold, Parking } from "./parked-holds.ts";

type HoldDocument = Document<(typeof dayHoldCollection)["columns"]>;

/** The most ended holds that one change takes out of an account. */
const maxEnded = 50;
/** The most parked holds of one session that end with its pod; more end by themselves. */
const maxOfSession = 500;
/** How long the document of an ended hold prevents that a delayed writer makes it anew, in milliseconds. */
const keptMs = 24 * 3_600_000;

/** Holds that have ended, and the time at which the next one ends. */
export interface EndedHolds {
	readonly ended: readonly ParkedHold[];
	readonly soonest: number;
}

export class DayHolds {
	readonly #store: Documents;

	constructor(store: Documents) {
		this.#store = store;
	}

	/** Returns the documents of these holds that are parked or were. */
	async of(account: string, ids: readonly string[]): Promise<ParkedHold[]> {
		const found = await Promise.all(ids.map((id) => this.#store.get(dayHoldCollection, nameOf(account, id))));
		return found
			.filter((document) => document?.ends_at !== undefined)
			.map((document) => holdOf(document ?? noDocument));
	}

	/** Returns the ids of the holds of a session that are parked or were. */
	async ofSession(account: string, session: string): Promise<string[]> {
		// The semicolon follows the colon of ids.
		const range = { equals: [account], from: holdId(session, ""), to: `${session};` };
		const page = { limit: maxOfSession, columns: ["hold", "ends_at"] } as const;
		const { documents } = await this.#store.find(dayHoldCollection, "of_session", range, page);
		return documents.flatMap(({ hold, ends_at }) => (hold === undefined || ends_at === undefined ? [] : [hold]));
	}

	/** Returns holds of an account that have ended. @param most Their greatest count; default 50. */
	async ended(account: string, most = maxEnded): Promise<EndedHolds> {
		const at = now();
		const page = { limit: most + 1 };
		const { documents } = await this.#store.find(dayHoldCollection, "of_account", { equals: [account] }, page);
		const ended = documents.slice(0, most).filter(({ ends_at = 0 }) => ends_at <= at);
		return { ended: ended.map(holdOf), soonest: documents[ended.length]?.ends_at ?? Number.MAX_SAFE_INTEGER };
	}

	/**
	 * Writes the documents of holds on their way; an older state never replaces a newer one.
	 * @param n The revision of the account that the states were read from.
	 */
	async write(account: string, n: number, { era, parked, ended }: Parking): Promise<void> {
		let remaining = [
			...parked.map((hold) => ({ ...documentOf(account, { era, n }, hold), ends_at: hold.until })),
			...ended.map((id) => documentOf(account, { era, n }, { id, micros: 0, settled: 0, until: now() })),
		];
		while (remaining.length > 0) {
			const { inserted, clash } = await this.#store.append(dayHoldCollection, remaining.slice(0, maxAppended));
			const known = clash === undefined ? undefined : remaining[inserted];
			if (known) await this.#replace(known);
			remaining = remaining.slice(known ? inserted + 1 : inserted);
		}
	}

	/** Marks those of the holds as ended that belong to an earlier sum than the present one. */
	async discard(account: string, holds: readonly ParkedHold[], present: number | undefined): Promise<void> {
		for (const { id, era } of holds.filter((hold) => hold.era !== present)) {
			const guard = { equals: { era } };
			await this.#store.update(dayHoldCollection, nameOf(account, id), guard, { unset: ["ends_at"] });
		}
	}

	async sweep(): Promise<void> {
		await removeAll(this.#store, dayHoldCollection, "old", { equals: [], to: now() - keptMs });
	}

	async #replace({ id, wire, ...columns }: HoldDocument): Promise<void> {
		await compareAndSet({
			what: "A hold",
			read: () => this.#store.get(dayHoldCollection, id),
			decide: (found) => ((found?.n ?? 0) < (columns.n ?? 0) ? { wire } : undefined),
			write: (found, change) =>
				this.#store.update(
					dayHoldCollection,
					id,
					{ equals: { n: found?.n ?? 0 } },
					{ ...change, set: columns, ...(columns.ends_at === undefined && { unset: ["ends_at"] as const }) },
				),
		});
	}
}

const noDocument: HoldDocument = { id: "", wire: "{}" };

function nameOf(account: string, hold: string): string {
	return `${account}:${hold}`;
}

function documentOf(
	account: string,
	{ era, n }: { era: number; n: number },
	{ id, micros, settled, until }: Hold,
): HoldDocument {
	return { id: nameOf(account, id), wire: "{}", account, hold: id, era, n, micros, settled, until };
}

function holdOf({ hold = "", era = 0, micros = 0, settled = 0, until = 0 }: HoldDocument): ParkedHold {
	return { id: hold, era, micros, settled, until };
}
