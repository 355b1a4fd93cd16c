/** The head of a session's history: everything but its chunks. Pure. */
import type { HistoryReport } from "#shared/contracts/sessions/history.ts";
import type { Row } from "#shared/store/collection.ts";
import {
	type AcknowledgedReports,
	isAcknowledged,
	type ReportNumber,
	withAcknowledged,
} from "../record/acknowledged-reports.ts";
import type { historyCollection, HistoryDocument } from "./history-collections.ts";

export type PatchName = { id: string; truncated: boolean };

/** Whether this report, or a newer one of its launch, was taken. */
export function hasAcknowledged(head: HistoryDocument | undefined, report: ReportNumber): boolean {
	return isAcknowledged(acknowledgedOf(head), report);
}

/** Returns the present patch. */
export function patchOf(head: HistoryDocument | undefined): PatchName | undefined {
	return head?.patch as PatchName | undefined;
}

/** Returns the columns after a report. */
export function headAfter(
	head: HistoryDocument | undefined,
	launch: number,
	{ n, logs, turns, diff }: HistoryReport,
): Row<(typeof historyCollection)["columns"]> {
	const { rev = 0, lines = 0, log_bytes = 0, turns: before = 0, turn_bytes: bytes = 0 } = head ?? {};
	const bytesOf = (items: readonly unknown[]) =>
		items.reduce<number>((sum, item) => sum + Buffer.byteLength(JSON.stringify(item)) + 1, 0);
	const patch = diff && diff.piece === diff.pieces - 1 ? { id: diff.id, truncated: diff.truncated } : undefined;
	return {
		rev: rev + 1,
		acknowledged: withAcknowledged(acknowledgedOf(head), { launch, n }),
		lines: lines + logs.length,
		log_bytes: log_bytes + bytesOf(logs),
		turns: before + turns.length,
		turn_bytes: bytes + bytesOf(turns),
		...(patch && { patch }),
	};
}

function acknowledgedOf(head: HistoryDocument | undefined): AcknowledgedReports {
	return (head?.acknowledged ?? {}) as AcknowledgedReports;
}
