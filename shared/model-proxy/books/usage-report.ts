/** Combines the use of tokens into reports. Pure. */
import { maxReportedTokens, type UsageReport } from "#shared/contracts/sessions/usage.ts";
import type { ModelAccess } from "#shared/wire/models/model-wire.ts";
import { addTokens, type TokenCounts, totalTokens } from "#shared/wire/models/token-counts.ts";

/** Use that fits one report: of one launch and model, and of one reservation or none. */
export interface Use {
	launch: number;
	/** The name by which the provider knows the model. */
	model: string;
	location: ModelAccess["location"];
	/** The reservation that pays; absent when none was asked for. */
	reservation_id?: string;
	/** The counts are an estimate, because the provider reported no or not all usage. */
	isEstimated?: true;
	counts: TokenCounts;
}

/** The fields that are optional in the contract and that every report of a session agent has. */
type Given = "report_id" | "launch" | "input_tokens" | "output_tokens" | "cache_read_tokens" | "cache_write_tokens";

/** The body of a report of a session agent. */
export type MeteredReport = Omit<UsageReport, Given> & { [Field in Given]: NonNullable<UsageReport[Field]> };

/** Adds a use to the one that fits the same report, if there is one. A launch has one model, so there are few. */
export function addUse(uses: readonly Use[], use: Use): Use[] {
	const at = uses.findIndex((other) => isAlike(other, use) && fitsOneReport(other, use));
	const before = uses[at];
	return before ? uses.with(at, { ...before, counts: addTokens(before.counts, use.counts) }) : [...uses, use];
}

export function reportOf(
	{ launch, model, location, reservation_id, isEstimated, counts }: Use,
	id: string,
	messages: number,
): MeteredReport {
	return {
		report_id: id,
		launch,
		tokens: totalTokens(counts),
		provider: location,
		model,
		message_count: messages,
		input_tokens: counts.input,
		output_tokens: counts.output,
		cache_read_tokens: counts.cache_read,
		cache_write_tokens: counts.cache_write,
		source: isEstimated ? "estimated" : "metered",
		...(reservation_id !== undefined && { reservation_id }),
	};
}

/** Whether the report includes the use, if the use is older than the report. */
export function isReportedWith(use: Use, { launch, model, provider, reservation_id, source }: MeteredReport): boolean {
	const isOfOneSource = (use.isEstimated === true) === (source === "estimated");
	const isOfOneModel = use.model === model && use.location === provider && isOfOneSource;
	return isOfOneModel && use.launch === launch && use.reservation_id === reservation_id;
}

function fitsOneReport(one: Use, other: Use): boolean {
	return totalTokens(one.counts) + totalTokens(other.counts) <= maxReportedTokens;
}

function isAlike(one: Use, other: Use): boolean {
	const isOfOneSource = one.isEstimated === other.isEstimated;
	const isOfOneModel = one.model === other.model && one.location === other.location && isOfOneSource;
	return isOfOneModel && one.launch === other.launch && one.reservation_id === other.reservation_id;
}
