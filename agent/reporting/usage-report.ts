/** What is told of used tokens, and how uses become a report. Pure. */
import { maxReportedTokens, type UsageReport } from "#shared/contracts/usage.ts";
import type { ModelAccess } from "#shared/models/model-wire.ts";
import { addTokens, type TokenCounts, totalTokens } from "#shared/models/token-counts.ts";

/** Uses that can be told in one report: of one launch and model, and held by one reservation or none. */
export interface Use {
	launch: number;
	/** As its provider knows it. */
	model: string;
	location: ModelAccess["location"];
	/** Whose money it is; absent: nobody asked before. */
	reservation_id?: string;
	/** A guess: their provider told nothing, or not all. */
	isEstimated?: true;
	counts: TokenCounts;
}

/** Fields that the contract leaves to the reporter, and that every report of a session agent has. */
type Given = "report_id" | "launch" | "input_tokens" | "output_tokens" | "cache_read_tokens" | "cache_write_tokens";

/** The body of a report as a session agent makes it. */
export type MeteredReport = Omit<UsageReport, Given> & { [Field in Given]: NonNullable<UsageReport[Field]> };

/** Puts a use to those that can be told with it. A launch has one model, so they are few. */
export function addUse(uses: readonly Use[], use: Use): Use[] {
	const at = uses.findIndex((other) => isAlike(other, use) && fitsOneReport(other, use));
	const before = uses[at];
	return before ? uses.with(at, { ...before, counts: addTokens(before.counts, use.counts) }) : [...uses, use];
}

/** @param messages How many messages of the session it is told with. */
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

/** Whether the use is one of those the report tells of, if it is older. */
export function isToldWith(use: Use, { launch, model, provider, reservation_id, source }: MeteredReport): boolean {
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
