/**
 * The history of a session from the reports of its pods: stored within bounds, and used for answers when there is no
 * pod.
 */
import type { HistoryReport, PatchPiece } from "#shared/contracts/sessions/history.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { answerBytes, jsonBytes } from "#shared/base/answer-size.ts";
import { type PodLogEntry, maxLogEntries } from "#shared/wire/pod/log/log-tail.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { type Requester, ChangeQueue } from "../record/change-queue.ts";
import type { ReportNumber } from "../record/acknowledged-reports.ts";
import { historyCollection, type HistoryDocument } from "./history-collections.ts";
import { hasAcknowledged, headAfter, type PatchBase, patchOf } from "./history-head.ts";
import { HistoryEntries, maxChunkBytes } from "./history-entries.ts";
import { maxTurnBytes, shrinkTurns } from "./history-shrink.ts";

/** The most bytes of log that are read for an answer, and that are kept when there were too many. */
const maxLogBytes = 4 * 1_048_576;
/** The bytes of log of a session beyond which the oldest lines are removed. */
const tooManyLogBytes = 6 * 1_048_576;

/** A stored patch against one of the bases. */
export interface StoredPatch {
	readonly patch: string;
	readonly truncated: boolean;
}

export class SessionHistory {
	readonly #store: Documents;
	readonly #entries: HistoryEntries;
	readonly #changes = new ChangeQueue();

	constructor(store: Documents) {
		this.#store = store;
		this.#entries = new HistoryEntries(store);
	}

	/**
	 * Takes a report, each once. Its content is written before it is acknowledged, so that an interrupted report is
	 * written again.
	 */
	async add(requester: Requester, session: string, launch: number, report: HistoryReport): Promise<void> {
		await this.#changes.run(session, requester, () => this.#tryAdd(session, launch, report));
	}

	/** Takes a report once; undefined when another writer was faster. */
	async #tryAdd(session: string, launch: number, report: HistoryReport): Promise<true | undefined> {
		const head = await this.#store.get(historyCollection, session);
		if (hasAcknowledged(head, { launch, n: report.n })) return true;
		await this.#write(session, launch, report, head);
		failpoint("sessions.history-written");
		const counted = await this.#count(session, launch, report, head);
		if (!counted) return undefined;
		await this.#tidy(counted);
		for (const part of patchesOf(report)) await this.#removeOtherPatches(counted, part);
		return true;
	}

	/** Whether this report, or a newer one of its launch, was taken. */
	async has(session: string, report: ReportNumber): Promise<boolean> {
		return hasAcknowledged(await this.#store.get(historyCollection, session), report);
	}

	/** Returns the log lines, the oldest first; undefined when nothing was ever reported. */
	async logs(session: string): Promise<PodLogEntry[] | undefined> {
		if (!(await this.#store.get(historyCollection, session))) return undefined;
		const entries = await this.#entries.newest(session, "log", maxLogBytes);
		const lines = entries.toReversed().flatMap(({ text }): PodLogEntry[] => JSON.parse(text));
		return lines.slice(-maxLogEntries);
	}

	/**
	 * Returns the newest turns, the oldest first, more than one answer can hold; undefined when nothing was ever
	 * reported.
	 * @param upTo The id of the newest wanted turn.
	 */
	async turns(session: string, upTo?: string): Promise<ConversationTurn[] | undefined> {
		if (!(await this.#store.get(historyCollection, session))) return undefined;
		const entries = await this.#entries.newest(session, "turn", 2 * answerBytes, upTo);
		return entries.toReversed().map(({ text }): ConversationTurn => JSON.parse(text));
	}

	/** Returns the patch after the newest turn; undefined when there was none. */
	async patch(session: string, base: PatchBase): Promise<StoredPatch | undefined> {
		const head = await this.#store.get(historyCollection, session);
		const name = patchOf(head, base);
		if (!name) return undefined;
		const entries = await this.#entries.newest(session, "patch");
		const pieces = entries.filter((entry) => patchIdOf(entry.name) === name.id).toReversed();
		return { patch: pieces.map(({ text }) => text).join(""), truncated: name.truncated };
	}

	async remove(session: string): Promise<void> {
		await this.#entries.removeAll(session);
		await this.#store.remove(historyCollection, session, {});
	}

	async #write(session: string, launch: number, report: HistoryReport, head?: HistoryDocument): Promise<void> {
		const { n, logs, turns } = report;
		let at = head?.lines ?? 0;
		for (const [index, lines] of chunksOf(logs).entries()) {
			at += lines.length;
			await this.#entries.put(session, "log", { name: `${launch}.${n}.${index}`, at, text: JSON.stringify(lines) });
		}
		for (const [index, turn] of turns.entries()) {
			const entry = { name: turn.id, at: (head?.turns ?? 0) + index + 1, text: JSON.stringify(turn) };
			await this.#entries.put(session, "turn", entry);
		}
		for (const part of patchesOf(report)) await this.#writePiece(session, part);
	}

	/** Writes a piece of a patch, unless its preceding piece is missing. */
	async #writePiece(session: string, { id, piece, text }: PatchPiece): Promise<void> {
		if (piece > 0 && !(await this.#entries.has(session, "patch", pieceName(id, piece - 1)))) return;
		await this.#entries.put(session, "patch", { name: pieceName(id, piece), at: piece, text });
	}

	/** Writes the head after a report; undefined when another writer has changed it. */
	async #count(
		session: string,
		launch: number,
		report: HistoryReport,
		head?: HistoryDocument,
	): Promise<HistoryDocument | undefined> {
		const set = headAfter(head, launch, report);
		if (head) return this.#store.update(historyCollection, session, { equals: { rev: head.rev ?? 0 } }, { set });
		const first = { id: session, wire: "{}", ...set };
		const isFirst = await insertOnce(() => this.#store.insert(historyCollection, first));
		return isFirst ? first : undefined;
	}

	/** Removes all patches except the present ones and the one being received. */
	async #removeOtherPatches(head: HistoryDocument, { id, piece, pieces }: PatchPiece): Promise<void> {
		if (piece > 0 && piece < pieces - 1) return;
		const kept = new Set([id, patchOf(head, "last-commit")?.id, patchOf(head, "default-branch")?.id]);
		for (const { name } of await this.#entries.newest(head.id, "patch"))
			if (!kept.has(patchIdOf(name))) await this.#entries.remove(head.id, "patch", name);
	}

	/** Removes the content that exceeds the bounds. */
	async #tidy(head: HistoryDocument): Promise<void> {
		const { id, lines = 0, log_bytes = 0, turn_bytes = 0, rev = 0 } = head;
		if (lines > maxLogEntries) await this.#entries.removeUpTo(id, "log", lines - maxLogEntries);
		const set = {
			...(log_bytes > tooManyLogBytes && { log_bytes: await this.#entries.keepNewest(id, "log", maxLogBytes) }),
			...(turn_bytes > maxTurnBytes && { turn_bytes: await shrinkTurns(this.#entries, id) }),
		};
		if (Object.keys(set).length === 0) return;
		// A concurrent report then has too large a count, never too small a one; the next shrinking corrects it.
		await this.#store.update(historyCollection, id, { equals: { rev } }, { set });
	}
}

function patchesOf({ diff, branch_diff }: HistoryReport): PatchPiece[] {
	return [diff, branch_diff].filter((part) => part !== undefined);
}

function pieceName(id: string, piece: number): string {
	return `${id}.${piece}`;
}

function patchIdOf(name: string): string {
	return name.slice(0, name.lastIndexOf("."));
}

/** Groups lines so that the JSON of each group fits into a chunk. */
function chunksOf(lines: readonly PodLogEntry[]): PodLogEntry[][] {
	const groups: PodLogEntry[][] = [];
	let room = 0;
	for (const line of lines) {
		const bytes = jsonBytes(line) + 1;
		if (bytes > room) {
			groups.push([]);
			room = maxChunkBytes - 2;
		}
		groups.at(-1)?.push(line);
		room -= bytes;
	}
	return groups;
}
