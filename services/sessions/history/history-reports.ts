/** Takes the reports of pods about their session, from the pod of the present launch only. */
import { type Principal, systemPrincipal } from "#shared/base/principal.ts";
import type { TimelineEntry } from "#shared/contracts/sessions/chronicles.ts";
import { maxTimelineSeconds } from "#shared/contracts/sessions/chronicles.ts";
import type { HistoryReport, PatchPiece, ReportedEntry } from "#shared/contracts/sessions/history.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import type { Requester } from "../record/change-queue.ts";
import type { SessionChronicles } from "../chronicles/session-chronicles.ts";
import type { ReportNumber } from "../record/acknowledged-reports.ts";
import { plainEntry } from "#shared/wire/pod/log/log-tail.ts";
import { maxChunkBytes } from "./history-entries.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { eventOf, type SessionEventRecords } from "../raw-events/session-event-records.ts";
import type { SessionRecord } from "../record/session-change.ts";
import type { SessionHistory } from "./session-history.ts";
import type { SessionRecords } from "../record/session-records.ts";
import type { SessionErasure } from "./session-erasure.ts";

interface HistoryReportsDependencies {
	readonly records: SessionRecords;
	readonly history: SessionHistory;
	readonly chronicles: SessionChronicles;
	readonly events: SessionEventRecords;
	readonly erasure: SessionErasure;
}

const keeper = systemPrincipal("history");

/** The reports of one process; all state is in the store. */
export class HistoryReports {
	readonly #dependencies: HistoryReportsDependencies;

	constructor(dependencies: HistoryReportsDependencies) {
		this.#dependencies = dependencies;
	}

	/** Takes a report. @throws {ConflictError} from the pod of an older launch; {NotFoundError}; {UnprocessableError}. */
	async take(principal: Principal, id: string, report: HistoryReport): Promise<void> {
		const record = await this.#dependencies.records.get(principal, id);
		const { generation } = record.session;
		const { launch = generation, n } = report;
		if (launch > generation) throw new UnprocessableError(`There was no launch ${launch} yet`, "LAUNCH_UNKNOWN");
		refuseBadPiece(report);
		if (isEmpty(report) || (await this.#dependencies.history.has(id, { launch, n }))) return;
		await this.#write({ principal }, record, { launch, n }, report);
		await this.#forgetDeleted(principal, id);
	}

	/**
	 * Writes a report; each part of the history takes it once. The acknowledgement is written last, so that a repeated
	 * report completes what a crash interrupted.
	 */
	async #write(
		requester: Requester,
		record: SessionRecord,
		number: ReportNumber,
		report: HistoryReport,
	): Promise<void> {
		const { history, chronicles, events } = this.#dependencies;
		const { id } = record.session;
		const entries = report.timeline.flatMap((entry) => unlessBad(() => entryOf(entry, record.session)));
		const raw = report.events.flatMap((event, index) => {
			const eventId = nameBasedUuid(id, "event", String(number.launch), String(number.n), String(index));
			return unlessBad(() => eventOf(eventId, { session_id: id, ...event }));
		});
		const writeChronicle = async (): Promise<void> => {
			await chronicles.addEntries(requester, record, entries, number);
			if (report.chronicle) await chronicles.report(requester, record, report.chronicle, number);
		};
		await Promise.all([writeChronicle(), events.add(id, raw)]);
		await history.add(requester, id, number.launch, { ...report, logs: report.logs.map(plainEntry) });
	}

	/** Erases the written data again when the session was deleted meanwhile. @throws {NotFoundError} */
	async #forgetDeleted(principal: Principal, id: string): Promise<void> {
		const { records, erasure } = this.#dependencies;
		try {
			await records.get(principal, id);
		} catch (error) {
			if (!(error instanceof NotFoundError)) throw error;
			const tombstone = await records.get(keeper, id).catch(() => undefined);
			await erasure.eraseContents(id, tombstone?.document.chronicle_policy);
			throw error;
		}
	}
}

/** Refuses an invalid piece of a patch. @throws {UnprocessableError} */
function refuseBadPiece({ diff, branch_diff }: HistoryReport): void {
	const isBad = (part: PatchPiece): boolean =>
		part.piece >= part.pieces || Buffer.byteLength(part.text) > maxChunkBytes;
	if ([diff, branch_diff].some((part) => part && isBad(part)))
		throw new UnprocessableError(
			"A piece of the patch is too large, or its number is not one of the patch's pieces",
			"PATCH_PIECE",
		);
}

/** Reads one item; an invalid one is omitted and does not affect the others of its report, which would not be sent again. */
function unlessBad<T>(read: () => T): T[] {
	try {
		return [read()];
	} catch (error) {
		if (error instanceof UnprocessableError) return [];
		throw error;
	}
}

/** Whether the report is empty; with such a report, a pod checks whether it is still wanted. */
function isEmpty({ logs, turns, diff, timeline, events, branch_diff, chronicle }: HistoryReport): boolean {
	const isWithout = [logs, turns, timeline, events].every(({ length }) => length === 0);
	return isWithout && !diff && !branch_diff && !chronicle;
}

/** Returns a timeline entry with the seconds since the session was created. @throws {UnprocessableError} */
function entryOf({ at, ...entry }: ReportedEntry, { created_at }: Session): TimelineEntry {
	const seconds = Math.floor((Date.parse(at) - Date.parse(created_at)) / 1_000);
	if (Number.isNaN(seconds)) throw new UnprocessableError(`"${at}" is no time`, "ENTRY_TIME");
	return { t: Math.min(Math.max(seconds, 0), maxTimelineSeconds), ...entry };
}
