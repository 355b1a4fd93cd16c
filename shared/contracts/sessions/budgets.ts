/**
 * The contract of cost limits: for a session, for a user and a day, for a tenant and a day. A turn reserves an amount
 * before it begins.
 */
import { defineContract } from "../contract.ts";
import { schema, type Input, type Output } from "#shared/base/schema/schema.ts";
import { budgetReason, dollarLimit } from "./session-resource.ts";
import { reporterId } from "./usage.ts";
import { dollars, summableCount, text, time } from "../field-rules.ts";

const nullableDollars = { ...dollars, nullable: true } as const;
const session = { session_id: { type: "uuid" } } as const;
const person = { user_id: { type: "string", min: 1, max: 255 } } as const;
const limit = { limit: dollarLimit } as const;

/** The budget of one day; days begin at 00:00 UTC. */
export const dayBudget = schema({
	limit: { ...nullableDollars, description: "US dollars per day; null: no limit" },
	spent: { ...dollars, description: "US dollars today that count towards the limit" },
	reserved: { ...dollars, description: "US dollars held by turns under way" },
	unreserved: {
		...dollars,
		description:
			"US dollars that were reported today beyond reservations; they do not count towards the limit of a tenant",
	},
	is_default: { type: "boolean", description: "Whether the limit is that of the configuration" },
});
export type DayBudget = Output<typeof dayBudget>;

export const correctionRequest = schema({
	amount: { type: "number", min: -1_000_000, max: 1_000_000, description: "US dollars to add to what was spent today" },
	reason: { type: "string", min: 1, max: 500 },
	session_id: { type: "uuid", optional: true, description: "A session of the user, whose sum is corrected too" },
	correction_id: { ...reporterId, optional: true, description: "Id that makes a repeated request harmless" },
});
export type CorrectionRequest = Output<typeof correctionRequest>;

/** A row of the ledger that corrects the sums without any usage. */
export const correction = schema({
	id: text,
	user_id: text,
	session_id: { type: "uuid", nullable: true },
	amount: { type: "number", description: "US dollars" },
	reason: text,
	corrected_by: { type: "string", description: "Administrator who made the correction" },
	corrected_at: time,
});
export type Correction = Output<typeof correction>;

const answer = { type: "object", props: dayBudget } as const;

export const reservation = schema({
	granted: { type: "boolean" },
	limited: { type: "boolean", description: "Whether any limit applies; if not, no further request is needed" },
	reservation_id: text,
	amount: { ...dollars, description: "US dollars that the reservation holds; when refused, the requested amount" },
	reason: { type: "object", props: budgetReason, nullable: true, description: "Reason of the refusal" },
});
export type Reservation = Output<typeof reservation>;

const modelName = { type: "string", max: 100, description: "Name in the catalogue; empty: none" } as const;
/** A count of tokens. Its bound is larger than that of one report, because a long turn makes many reports. */
const tokens = { ...summableCount, optional: true } as const;

const usedTokens = schema({
	model: modelName,
	input_tokens: tokens,
	output_tokens: tokens,
	cache_read_tokens: tokens,
	cache_write_tokens: tokens,
});

const plannedCall = schema({
	model: modelName,
	input_tokens: { ...tokens, description: "Input tokens of the call; absent: as many as the model accepts" },
	output_tokens: { ...tokens, description: "Output tokens of the call; absent: as many as the model can write" },
});
export type PlannedCall = Output<typeof plannedCall>;

export const reservationRequest = schema({
	reservation_id: reporterId,
	model: modelName,
	input_tokens: { ...tokens, description: "Input tokens of the first model call of a turn, if known; default 16,000" },
	calls: {
		type: "array",
		max: 128,
		items: { type: "object", props: plannedCall },
		optional: true,
		description: "All calls under way with this one last, before a model call; absent before a turn",
	},
	used: {
		type: "array",
		max: 1_001,
		items: { type: "object", props: usedTokens },
		optional: true,
		description: "All tokens metered under this reservation so far, reported or not, by model",
	},
});
export type ReservationRequest = Output<typeof reservationRequest>;
export type SentReservationRequest = Input<typeof reservationRequest>;

export const budgets = defineContract("budgets", {
	mine: {
		rest: "GET /budgets",
		summary: "Today's budget of the caller and of the caller's tenant",
		params: {},
		returns: { type: "object", props: { user: answer, tenant: answer } },
	},
	tenant: {
		rest: "PUT /budgets/tenant",
		access: "admin",
		summary: "Set the daily limit of the caller's tenant; null: no limit",
		example: { limit: null },
		params: limit,
		returns: answer,
	},
	reset_tenant: {
		rest: "DELETE /budgets/tenant",
		access: "admin",
		summary: "Reset the daily limit of the caller's tenant to that of the configuration",
		params: {},
	},
	user: {
		rest: "GET /budgets/users/:user_id",
		access: "admin",
		summary: "Today's budget of a user of the caller's tenant",
		params: person,
		returns: answer,
	},
	limit_user: {
		rest: "PUT /budgets/users/:user_id",
		access: "admin",
		summary: "Set the daily limit of a user of the caller's tenant; null: no limit",
		example: { limit: null },
		params: { ...person, ...limit },
		returns: answer,
	},
	reset_user: {
		rest: "DELETE /budgets/users/:user_id",
		access: "admin",
		summary: "Reset the daily limit of a user of the caller's tenant to that of the configuration",
		params: person,
	},
	correct_user: {
		rest: "POST /budgets/users/:user_id/corrections",
		access: "admin",
		summary:
			"Correct the amount that a user, and so the tenant, has spent today, by a row of the ledger with the reason",
		example: { amount: 0.5, reason: "A call that failed" },
		status: 201,
		params: { ...person, ...correctionRequest },
		returns: { type: "object", props: correction },
		errors: [404, 409, 503],
	},
	reserve: {
		rest: "POST /sessions/:session_id/reservations",
		access: "pod",
		summary:
			"Reserve the possible cost of a turn or its next model call; a request with the same id raises the reservation",
		example: { reservation_id: "turn-1", model: "" },
		params: { ...session, ...reservationRequest },
		returns: { type: "object", props: reservation },
		errors: [404, 409, 503],
	},
	release: {
		rest: "DELETE /sessions/:session_id/reservations/:reservation_id",
		access: "pod",
		summary: "Release the rest of a reservation",
		params: { ...session, reservation_id: reporterId },
		errors: [404, 409, 503],
	},
});
