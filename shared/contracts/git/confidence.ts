/**
 * The contract of merge confidence: how safe it is to merge a change, by what its author says about it or by what the
 * git provider shows of its pull request. The formula stands in docs/merge-confidence.md.
 */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { absentOrNull, nullableText, nullableTime, text, time } from "../field-rules.ts";

const mergeActions = ["auto_merge", "notify_then_merge", "require_approval"] as const;
export type MergeAction = (typeof mergeActions)[number];

const maxCount = 1_000_000_000;
const count = { type: "number", integer: true, min: 0, max: maxCount } as const;
const pullNumber = { type: "number", integer: true, min: 1, max: maxCount } as const;
const repoUrl = { type: "string", min: 1, max: 2_048 } as const;
const headSha = {
	type: "string",
	min: 7,
	max: 64,
	pattern: "^[0-9a-fA-F]+$",
	words: "have only hexadecimal digits",
} as const;
const action = { type: "enum", values: mergeActions } as const;
const unlessPull = "Required unless `repo_url` and `number` name a pull request";

/** The properties of a change that a caller states. With a pull request they may lower the score and never raise it. */
const hints = schema({
	tests_pass: { type: "boolean", ...absentOrNull, description: unlessPull },
	coverage_delta: { type: "number", min: -1_000, max: 1_000, default: 0, description: "Percentage points" },
	lines_changed: { ...count, ...absentOrNull, description: unlessPull },
	files_changed: { ...count, ...absentOrNull, description: unlessPull },
	has_dependency_changes: { type: "boolean", default: false },
	change_categories: { type: "array", max: 100, items: { type: "string", max: 100 }, default: [] },
	ci_status: { type: "enum", values: ["passing", "failing", "pending", "unknown"], ...absentOrNull },
	review_status: { type: "enum", values: ["approved", "changes_requested", "pending", "unknown"], ...absentOrNull },
});
export type ConfidenceHints = Output<typeof hints>;

const proof = schema({
	what: { ...text, description: "The finding as a sentence" },
	where: { ...nullableText, description: "URL of the provider that shows it" },
	when: nullableTime,
});
export type Proof = Output<typeof proof>;

const weighedFactor = schema({
	factor: text,
	weight: { type: "number", description: "Its part of the score, of 1" },
	value: { type: "number", description: "From 0 to 1" },
	proofs: { type: "array", items: { type: "object", props: proof } },
});
export type WeighedFactor = Output<typeof weighedFactor>;

const verdict = schema({
	score: { type: "number", min: 0, max: 1 },
	factors: { type: "record", key: text, value: { type: "number" }, description: "Values by factor, from 0 to 1" },
	action,
	reason: text,
});

const outcome = schema({
	state: { type: "enum", values: ["open", "merged", "closed"] },
	merged_at: nullableTime,
	reverted: { type: "boolean" },
	reverted_by: { ...nullableText, description: "URL of the commit or pull request that reverts it" },
	checked_at: time,
});
export type Outcome = Output<typeof outcome>;

export const evaluation = schema({
	id: { type: "uuid" },
	...verdict,
	repo_url: { ...nullableText, description: "Null: only what the caller said was looked at" },
	number: { ...pullNumber, nullable: true },
	head_sha: { ...nullableText, description: "The commit that the verdict is about" },
	evidence: { type: "array", items: { type: "object", props: weighedFactor } },
	evaluated_at: time,
	outcome: {
		type: "object",
		props: outcome,
		nullable: true,
		description: "The fate of the pull request, as a calibration has found it; null: not looked up yet",
	},
});
export type Evaluation = Output<typeof evaluation>;

const band = schema({
	from: { type: "number" },
	to: { type: "number" },
	evaluated: count,
	merged: count,
	reverted: count,
	unchecked: { ...count, description: "Pull requests whose fate could not be looked up now" },
	merge_rate: { type: "number", nullable: true, description: "Merged of those looked up" },
	revert_rate: { type: "number", nullable: true, description: "Reverted within 30 days of those merged" },
});
export type CalibrationBand = Output<typeof band>;

const record = { type: "object", props: evaluation } as const;
const ofRepository = { ...repoUrl, optional: true, description: "Only pull requests of this repository" } as const;

export const confidence = defineContract("confidence", {
	calculate: {
		rest: "POST /repos/confidence",
		summary: "How safe a merge is: by facts of the caller, or by the evidence of a pull request",
		example: { tests_pass: true, lines_changed: 20, files_changed: 2 },
		params: {
			...hints,
			repo_url: { ...repoUrl, ...absentOrNull, description: "With `number`: the pull request to look at" },
			number: { ...pullNumber, ...absentOrNull },
			head_sha: { ...headSha, ...absentOrNull, description: "The head that is to be judged; 409 when it has moved" },
		},
		returns: record,
		errors: [400, 404, 409, 502, 503],
		timeout: 9_500,
	},
	list: {
		rest: "GET /repos/confidence",
		summary: "Past evaluations of the caller, for administrators those of their tenant, newest first",
		params: { repo_url: ofRepository, ...pageParams },
		...pageOf(record),
		errors: [400],
	},
	calibration: {
		rest: "GET /repos/confidence/calibration",
		summary: "What became of the evaluated pull requests, by score: merged, and reverted within 30 days",
		params: {
			repo_url: ofRepository,
			days: { type: "number", integer: true, min: 1, max: 400, default: 90, description: "Age of the evaluations" },
		},
		returns: {
			type: "object",
			props: {
				bands: { type: "array", items: { type: "object", props: band } },
				more: { type: "boolean", description: "There are more evaluations than the report has read" },
				computed_at: time,
			},
		},
		timeout: 9_500,
	},
	get: {
		rest: "GET /repos/confidence/:evaluation_id",
		summary: "One past evaluation",
		params: { evaluation_id: { type: "uuid" } },
		returns: record,
		errors: [404],
	},
});
