/** The head of a session's history: everything but its chunks. Pure. */
import type { HistoryReport, PatchPiece } from "#shared/contracts/sessions/history.ts";
import type { Row } from "#shared/store/collection.ts";
import {
	type AcknowledgedReports,
	isAcknowledged,
	type ReportNumber,
	withAcknowledged,
} from "../record/acknowledged-reports.ts";
import type { historyCollection, HistoryDocument } from "./history-collections.ts";

/** The bases of stored patches. */
export type PatchBase = "last-commit" | "default-branch";
type PatchName = { id: string; truncated: boolean };
/** The names of both patches, of which either may be missing. */
type PatchNames = Partial<PatchName> & { branch?: PatchName };

/** Whether this report, or a newer one of its launch, was taken. */
export function hasAcknowledged(head: HistoryDocument | undefined, report: ReportNumber): boolean {
	return isAcknowledged(acknowledgedOf(head), report);
}

/** Returns the present patch against a base. */
export function patchOf(head: HistoryDocument | undefined, base: PatchBase): PatchName | undefined {
	const { branch, id, truncated = false } = (head?.patch ?? {}) as PatchNames;
	if (base === "default-branch") return branch;
	return id === undefined ? undefined : { id, truncated };
}

export function headAfter(
	head: HistoryDocument | undefined,
	launch: number,
	{ n, logs, turns, diff, branch_diff }: HistoryReport,
): Row<(typeof historyCollection)["columns"]> {
	const { rev = 0, lines = 0, log_bytes = 0, turns: before = 0, turn_bytes: bytes = 0 } = head ?? {};
	const bytesOf = (items: readonly unknown[]) =>
		items.reduce<number>((sum, item) => sum + Buffer.byteLength(JSON.stringify(item)) + 1, 0);
	const branch = completed(branch_diff);
	const patch = { ...completed(diff), ...(branch && { branch }) };
	return {
		rev: rev + 1,
		acknowledged: withAcknowledged(acknowledgedOf(head), { launch, n }),
		lines: lines + logs.length,
		log_bytes: log_bytes + bytesOf(logs),
		turns: before + turns.length,
		turn_bytes: bytes + bytesOf(turns),
		...(Object.keys(patch).length > 0 && { patch: { ...(head?.patch as PatchNames | undefined), ...patch } }),
	};
}

/** Returns the name of the patch whose last piece this is. */
function completed(part: PatchPiece | undefined): PatchName | undefined {
	return part && part.piece === part.pieces - 1 ? { id: part.id, truncated: part.truncated } : undefined;
}

function acknowledgedOf(head: HistoryDocument | undefined): AcknowledgedReports {
	return (head?.acknowledged ?? {}) as AcknowledgedReports;
}
