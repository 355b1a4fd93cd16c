/** What the pod tells of itself, in reports that the platform takes. Pure. */
import { randomUUID } from "node:crypto";
import { maxPatchPiece, type PatchPiece } from "#shared/contracts/history.ts";
import type { ConversationTurn, DiffPatch } from "#shared/contracts/sessions.ts";
import { answerBytes, cutToJsonBytes, jsonBytes } from "#shared/pod/answer-size.ts";
import { fitTurn } from "#shared/pod/conversation-history.ts";
import type { LogEntry } from "#shared/pod/log-tail.ts";

/** What a report says, before it has its number. */
export type ReportContent = { logs: LogEntry[]; turns: ConversationTurn[]; diff?: PatchPiece };
/** A report with its number. */
export type NumberedReport = ReportContent & { launch: number; n: number };

/** Bytes of JSON; the platform takes 900 KB. */
const maxBytes = answerBytes;
const maxItems = 1_000;

/** In as few reports as there is room in. */
export function packReports(logs: readonly LogEntry[], turns: readonly ConversationTurn[]): ReportContent[] {
	const reports: ReportContent[] = [];
	let [bytes, items] = [Infinity, 0];
	const place = (size: number): ReportContent => {
		bytes += size + 1;
		items++;
		const last = reports.at(-1);
		if (last && bytes <= maxBytes && items <= maxItems) return last;
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
	return reports;
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
