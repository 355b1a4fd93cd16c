/** The repository of timelines. Entries, totals and the events about them are one write. */
import { randomUUID } from "node:crypto";
import { isoTime, now } from "#shared/base/clock.ts";
import type { Timeline, TimelineEntry } from "#shared/contracts/sessions/chronicles.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { answerBytes, jsonBytes } from "#shared/base/answer-size.ts";
import type { Documents, OutboxEntry } from "#shared/store/port/documents.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { removeAll } from "#shared/store/remove-first.ts";
import { type Requester, ChangeQueue } from "../record/change-queue.ts";
import {
	type ChronicleDocument,
	timelineChunkCollection,
	timelineCollection,
	type TimelineDocument,
} from "./chronicle-collections.ts";
import { isAcknowledged, type ReportNumber, withAcknowledged } from "../record/acknowledged-reports.ts";
import { readState, withinBounds, type TimelineChange, type TimelineState, withEntry } from "./timeline-state.ts";
import { leastBytes, totalsOf } from "./timeline-totals.ts";

/** The most bytes of an event; a larger one omits the totals. */
const maxEventBytes = 16 * 1024;

export class Timelines {
	readonly #store: Documents;
	readonly #written: () => void;
	readonly #changes = new ChangeQueue();

	/** @param written Called after every write that has an event. */
	constructor(store: Documents, written: () => void) {
		this.#store = store;
		this.#written = written;
	}

	/**
	 * Adds entries in their order.
	 * @param report The report of the entries, if it may be repeated: a repetition adds nothing.
	 * @throws {TooManyRequestsError}
	 */
	async add(
		requester: Requester,
		chronicle: ChronicleDocument,
		entries: readonly TimelineEntry[],
		report?: ReportNumber,
	): Promise<void> {
		if (entries.length === 0) return;
		const change = await this.#changes.run(chronicle.id, requester, () => this.#tryAdd(chronicle, entries, report));
		for (const chunk of change.dropped) await this.#store.remove(timelineChunkCollection, chunk.id, {});
	}

	/** Adds entries once; returns the removed chunks, or undefined when another writer has changed the timeline. */
	async #tryAdd(
		chronicle: ChronicleDocument,
		entries: readonly TimelineEntry[],
		report?: ReportNumber,
	): Promise<Pick<TimelineChange, "dropped"> | undefined> {
		const document = await this.#store.get(timelineCollection, chronicle.id);
		const before = readState(document?.wire);
		if (report && isAcknowledged(before.acknowledged, report)) return { dropped: [] };
		const { state, events } = grown(before, entries, chronicle, document?.emitted ?? 0);
		const acknowledged = report ? withAcknowledged(before.acknowledged, report) : before.acknowledged;
		const change = withinBounds({ ...state, acknowledged }, randomUUID());
		if (!(await this.#write(chronicle.id, document, change, events))) return undefined;
		failpoint("timelines.written");
		this.#written();
		return change;
	}

	/** Returns the entries in ascending order and the totals. */
	async read(chronicle: string): Promise<Timeline> {
		const { chunks, tail, totals, truncated } = readState((await this.#store.get(timelineCollection, chronicle))?.wire);
		const older = await Promise.all(chunks.map(({ id }) => this.#store.get(timelineChunkCollection, id)));
		const stored = older.flatMap((chunk): TimelineEntry[] => (chunk ? JSON.parse(chunk.wire) : []));
		const events = [...stored, ...tail].sort((one, other) => one.t - other.t);
		return fit({ events, ...totalsOf(totals), ...(truncated && { truncated }) });
	}

	async remove(chronicle: string): Promise<void> {
		await this.#store.remove(timelineCollection, chronicle, {});
		await removeAll(this.#store, timelineChunkCollection, "of_chronicle", { equals: [chronicle] });
	}

	/** Writes a change; returns false when another writer has changed the timeline. */
	async #write(
		id: string,
		document: TimelineDocument | undefined,
		{ state, written }: TimelineChange,
		events: readonly OutboxEntry[],
	): Promise<boolean> {
		if (written) await this.#writeChunk(id, written);
		const rev = document?.rev ?? 0;
		const wire = JSON.stringify(state);
		const set = { rev: rev + 1, emitted: (document?.emitted ?? 0) + events.length };
		const done = document
			? await this.#store.update(timelineCollection, id, { equals: { rev } }, { wire, set }, events)
			: await insertOnce(() => this.#store.insert(timelineCollection, { id, wire, ...set }, events));
		if (!done && written) await this.#store.remove(timelineChunkCollection, written.chunk.id, {});
		return Boolean(done);
	}

	async #writeChunk(chronicle: string, { chunk, entries }: NonNullable<TimelineChange["written"]>): Promise<void> {
		const wire = JSON.stringify(entries);
		await this.#store.insert(timelineChunkCollection, { id: chunk.id, wire, chronicle, at: now() });
	}
}

/** Makes the events of a change; the last one has the totals, because those of many files are large. @param emitted The count of events that the timeline has caused before. */
function grown(
	before: TimelineState,
	entries: readonly TimelineEntry[],
	{ session = "", tenant = "", owner = "" }: ChronicleDocument,
	emitted: number,
): { state: TimelineState; events: OutboxEntry[] } {
	const at = now();
	let state = before;
	const events = entries.map((entry, index): OutboxEntry => {
		state = withEntry(state, entry, isoTime(at));
		const data = payloadOf(session, entry, index === entries.length - 1 ? state : undefined);
		return { n: emitted + index + 1, type: "chronicle_event", data, audience: { tenant, owner }, at };
	});
	return { state, events };
}

function payloadOf(session_id: string, event: TimelineEntry, state: TimelineState | undefined): string {
	const totals = state?.totals;
	if (totals && leastBytes(totals) <= maxEventBytes) {
		const whole = JSON.stringify({ session_id, event, ...totalsOf(totals) });
		if (Buffer.byteLength(whole) <= maxEventBytes) return whole;
	}
	return JSON.stringify({ session_id, event, files: [], commits: [], token_burn: [], truncated: true });
}

/** Returns the timeline with the newest entries that fit into one answer. */
function fit(timeline: Timeline): Timeline {
	let bytes = jsonBytes(timeline);
	const tooMany = timeline.events.findIndex((entry) => bytes <= answerBytes || (bytes -= jsonBytes(entry) + 1) < 0);
	return tooMany <= 0 ? timeline : { ...timeline, events: timeline.events.slice(tooMany), truncated: true };
}
