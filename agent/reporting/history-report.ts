/** What the pod tells of itself, in reports that the platform takes. Pure. */
import { randomUUID } from "node:crypto";
import type { ChronicleReport } from "#shared/contracts/chronicles.ts";
import {
	maxPatchPiece,
	maxReportEntries,
	maxReportEvents,
	type PatchPiece,
	type ToldEntry,
	type ToldEvent,
} from "#shared/contracts/history.ts";
import type { DiffPatch } from "#shared/contracts/session-diff.ts";
import type { ConversationTurn } from "#shared/contracts/sessions.ts";
import { answerBytes, cutToJsonBytes, jsonBytes } from "#shared/pod/answer-size.ts";
import { fitTurn } from "#shared/pod/conversation-history.ts";
import type { PodLogEntry } from "#shared/pod/log-tail.ts";
import type { RawEvent, TimelineRecord } from "../timeline/timeline-log.ts";

/** What a report says, before it and its events have their numbers. */
export interface ReportContent {
	logs: PodLogEntry[];
	turns: ConversationTurn[];
	diff?: PatchPiece;
	timeline?: ToldEntry[];
	events?: RawEvent[];
	chronicle?: ChronicleReport;
}

/** A report with its number. */
export type NumberedReport = Omit<ReportContent, "events"> & { launch: number; n: number; events?: ToldEvent[] };

/** Bytes of JSON; the platform takes 900 KB. */
const maxBytes = answerBytes;
const maxItems = 1_000;

/** In as few reports as there is room in. */
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

/** Whether there is room for one more of any kind. */
function takesRecords({ timeline = [], events = [] }: ReportContent): boolean {
	return timeline.length < maxReportEntries && events.length < maxReportEvents;
}

function addRecord(report: ReportContent, record: TimelineRecord): void {
	if ("entry" in record) (report.timeline ??= []).push(record.entry);
	else (report.events ??= []).push(record.event);
}

/** A patch, in as many reports as it has pieces; an empty one is one, too. */
export function patchReports({ patch, truncated }: DiffPatch): ReportContent[] {
	const texts: string[] = [];
	for (let rest = patch; rest !== "" || texts.length === 0; rest = rest.slice(texts.at(-1)?.length)) {
		texts.push(cutToJsonBytes(rest.slice(0, maxPatchPiece), maxPatchPiece));
	}
	const id = randomUUID();
	return texts.map((text, piece) => ({
		logs: [],
		turns: [],
		diff: { id, piece, pieces: texts.length, text, truncated },
	}));
}
