/** Packs what the pod reports about itself into reports of a size that the platform accepts. Pure. */
import { randomUUID } from "node:crypto";
import type { ChronicleReport } from "#shared/contracts/sessions/chronicles.ts";
import {
	maxPatchPiece,
	maxReportEntries,
	maxReportEvents,
	type PatchPiece,
	type ReportedEntry,
	type ReportedEvent,
} from "#shared/contracts/sessions/history.ts";
import type { DiffPatch } from "#shared/contracts/sessions/session-diff.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { answerBytes, cutToJsonBytes, jsonBytes } from "#shared/base/answer-size.ts";
import { fitTurn } from "#shared/wire/pod/conversation-history.ts";
import type { PodLogEntry } from "#shared/wire/pod/log/log-tail.ts";
import type { RawEvent, TimelineRecord } from "../timeline/timeline-log.ts";

/** The content of a report before the report and its events have numbers. */
export interface ReportContent {
	logs: PodLogEntry[];
	turns: ConversationTurn[];
	diff?: PatchPiece;
	branch_diff?: PatchPiece;
	timeline?: ReportedEntry[];
	events?: RawEvent[];
	chronicle?: ChronicleReport;
}

export type NumberedReport = Omit<ReportContent, "events"> & { launch: number; n: number; events?: ReportedEvent[] };

/** The bound in bytes of JSON; the platform accepts 900 KB. */
const maxBytes = answerBytes;
const maxItems = 1_000;

/** Packs the content into as few reports as possible. */
export function packReports(
	logs: readonly PodLogEntry[],
	turns: readonly ConversationTurn[],
	records: readonly TimelineRecord[] = [],
): ReportContent[] {
	const reports: ReportContent[] = [];
	let [bytes, items] = [Infinity, 0];
	const place = (size: number): ReportContent => {
		bytes += size + 1;
		items++;
		const last = reports.at(-1);
		if (last && bytes <= maxBytes && items <= maxItems && takesRecords(last)) return last;
		[bytes, items] = [size, 1];
		const next: ReportContent = { logs: [], turns: [] };
		reports.push(next);
		return next;
	};
	for (const entry of logs) place(jsonBytes(entry)).logs.push(entry);
	for (const turn of turns) {
		const fitting = fitTurn(turn, maxBytes);
		place(jsonBytes(fitting)).turns.push(fitting);
	}
	for (const record of records) addRecord(place(jsonBytes(record)), record);
	return reports;
}

/** Whether one more record of any kind fits. */
function takesRecords({ timeline = [], events = [] }: ReportContent): boolean {
	return timeline.length < maxReportEntries && events.length < maxReportEvents;
}

function addRecord(report: ReportContent, record: TimelineRecord): void {
	if ("entry" in record) (report.timeline ??= []).push(record.entry);
	else (report.events ??= []).push(record.event);
}

/** The members of a report that carry patches, by the base of the patch. */
export const patchMembers = { "last-commit": "diff", "default-branch": "branch_diff" } as const;
export type PatchBase = keyof typeof patchMembers;

/** Returns one report for each piece of the patch, and one for an empty patch. */
export function patchReports({ patch, truncated }: DiffPatch, base: PatchBase): ReportContent[] {
	const texts: string[] = [];
	for (let rest = patch; rest !== "" || texts.length === 0; rest = rest.slice(texts.at(-1)?.length)) {
		texts.push(cutToJsonBytes(rest.slice(0, maxPatchPiece), maxPatchPiece));
	}
	const id = randomUUID();
	return texts.map((text, piece) => ({
		logs: [],
		turns: [],
		[patchMembers[base]]: { id, piece, pieces: texts.length, text, truncated },
	}));
}
