/** What is told of used tokens, and how uses become a report. Pure. */
import { maxReportedTokens } from "#shared/contracts/usage.ts";
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

/** The body of the report. */
export interface UsageReport {
	report_id: string;
	launch: number;
	tokens: number;
	provider: ModelAccess["location"];
	model: string;
	message_count: number;
	input_tokens: number;
	output_tokens: number;
	cache_read_tokens: number;
	cache_write_tokens: number;
	source: "metered" | "estimated";
	reservation_id?: string;
}

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
): UsageReport {
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
export function isToldWith(use: Use, { launch, model, provider, reservation_id, source }: UsageReport): boolean {
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
