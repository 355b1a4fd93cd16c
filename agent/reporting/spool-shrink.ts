/** Decides what is dropped when the waiting reports exceed their bound; each loss is marked. Pure. */
import { jsonBytes } from "#shared/base/answer-size.ts";
import { dropOutputs } from "#shared/wire/pod/conversation-history.ts";
import { type NumberedReport, patchMembers } from "./history-report.ts";

/** Removes one kind of content; returns the same report when it has none. */
type Loss = (report: NumberedReport) => NumberedReport;

/**
 * Returns reports of at most `limit` bytes. The oldest outputs of tools are dropped first, then the oldest log lines,
 * the oldest raw events, older patches, and the oldest reports.
 */
export function shrinkReports(reports: readonly NumberedReport[], limit: number): NumberedReport[] {
	const left = [...reports];
	let bytes = left.reduce((sum, report) => sum + jsonBytes(report), 0);
	const losses: Loss[] = [withoutOutputs, withoutLogs, withoutEvents, withoutPatchesBut(newestPatches(left))];
	for (const loss of losses) {
		for (const [index, report] of left.entries()) {
			if (bytes <= limit) return left;
			const smaller = loss(report);
			bytes -= jsonBytes(report) - jsonBytes(smaller);
			left[index] = smaller;
		}
	}
	while (bytes > limit && left.length > 1) bytes -= jsonBytes(left.shift());
	return left;
}

function withoutOutputs(report: NumberedReport): NumberedReport {
	const turns = report.turns.map(dropOutputs);
	return turns.every((turn, index) => turn === report.turns[index]) ? report : { ...report, turns };
}

function withoutLogs(report: NumberedReport): NumberedReport {
	const last = report.logs.at(-1);
	if (!last || report.logs.length === 1) return report;
	const message = `${report.logs.length} log lines were dropped because the platform was away`;
	return { ...report, logs: [{ ...last, level: "WARNING", logger: "session-agent", message }] };
}

/** The numbers of the remaining events show that some are missing. */
function withoutEvents(report: NumberedReport): NumberedReport {
	const { events, ...others } = report;
	return events ? others : report;
}

function withoutPatchesBut(newest: ReadonlySet<string | undefined>): Loss {
	return ({ diff, branch_diff, ...report }) => ({
		...report,
		...(diff && newest.has(diff.id) && { diff }),
		...(branch_diff && newest.has(branch_diff.id) && { branch_diff }),
	});
}

/** Returns the ids of the newest patch against each base. */
function newestPatches(reports: readonly NumberedReport[]): ReadonlySet<string | undefined> {
	const members = Object.values(patchMembers);
	return new Set(members.map((member) => reports.findLast((report) => report[member])?.[member]?.id));
}
