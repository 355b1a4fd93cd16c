/**
 * The contract of cost limits: for a session, for a user and a day, for a tenant and a day. A turn reserves an amount
 * before it begins.
 */
import { defineContract } from "../bus/contract.ts";
import { schema, type Input, type Output } from "../bus/schema.ts";
import { budgetReason, dollarLimit } from "./session-resource.ts";
import { reporterId } from "./usage.ts";

const dollars = { type: "number", min: 0 } as const;
const nullableDollars = { ...dollars, nullable: true } as const;
const session = { session_id: { type: "uuid" } } as const;
const person = { user_id: { type: "string", min: 1, max: 255 } } as const;
const limit = { limit: dollarLimit } as const;

/** The budget of one day; days begin at 00:00 UTC. */
export const dayBudget = schema({
	limit: { ...nullableDollars, description: "US dollars a day; null: none" },
	spent: { ...dollars, description: "US dollars today" },
	reserved: { ...dollars, description: "US dollars held by turns under way" },
	is_default: { type: "boolean", description: "The limit is the one of the configuration" },
});
export type DayBudget = Output<typeof dayBudget>;

export const correctionRequest = schema({
	amount: { type: "number", min: -1_000_000, max: 1_000_000, description: "US dollars to add to what was spent today" },
	reason: { type: "string", min: 1, max: 500 },
	session_id: { type: "uuid", optional: true, description: "A session of the user whose sum changes too" },
	correction_id: { ...reporterId, optional: true, description: "Makes a repeat harmless" },
});
export type CorrectionRequest = Output<typeof correctionRequest>;

/** A row of the ledger that corrects the sums without any usage. */
export const correction = schema({
	id: { type: "string" },
	user_id: { type: "string" },
	session_id: { type: "uuid", nullable: true },
	amount: { type: "number", description: "US dollars" },
	reason: { type: "string" },
	corrected_by: { type: "string", description: "The administrator" },
	corrected_at: { type: "string", format: "date-time" },
});
export type Correction = Output<typeof correction>;

const answer = { type: "object", props: dayBudget } as const;

export const reservation = schema({
	granted: { type: "boolean" },
	limited: { type: "boolean", description: "Whether any limit applies; if not, nothing needs to be asked" },
	reservation_id: { type: "string" },
	amount: { ...dollars, description: "US dollars it holds now; when refused, what was wanted" },
	reason: { type: "object", props: budgetReason, nullable: true, description: "Why it was refused" },
});
export type Reservation = Output<typeof reservation>;

const modelName = { type: "string", max: 100, description: "As the catalogue names it; empty: none" } as const;
/** A count of tokens. Its bound is larger than that of one report, because a long turn makes many reports. */
const tokens = { type: "number", integer: true, min: 0, max: 1_000_000_000_000, optional: true } as const;

const usedTokens = schema({
	model: modelName,
	input_tokens: tokens,
	output_tokens: tokens,
	cache_read_tokens: tokens,
	cache_write_tokens: tokens,
});

const plannedCall = schema({
	model: modelName,
	input_tokens: { ...tokens, description: "It reads; absent: as much as fits the model" },
	output_tokens: { ...tokens, description: "It writes; absent: as much as fits the model" },
});
export type PlannedCall = Output<typeof plannedCall>;

export const reservationRequest = schema({
	reservation_id: reporterId,
	model: modelName,
	input_tokens: { ...tokens, description: "What the first model call of a turn reads, if known; default 16,000" },
	calls: {
		type: "array",
		max: 128,
		items: { type: "object", props: plannedCall },
		optional: true,
		description: "Before a model call: all that are under way, this one last; absent: before a turn",
	},
	used: {
		type: "array",
		max: 1_001,
		items: { type: "object", props: usedTokens },
		optional: true,
		description: "All that was metered under this reservation so far, reported or not, by model",
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
		summary: "Limit what the caller's tenant may spend a day; null: no limit",
		params: limit,
		returns: answer,
	},
	reset_tenant: {
		rest: "DELETE /budgets/tenant",
		access: "admin",
		summary: "Give the caller's tenant the limit of the configuration again",
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
		summary: "Limit what a user of the caller's tenant may spend a day; null: no limit",
		params: { ...person, ...limit },
		returns: answer,
	},
	reset_user: {
		rest: "DELETE /budgets/users/:user_id",
		access: "admin",
		summary: "Give a user of the caller's tenant the limit of the configuration again",
		params: person,
	},
	correct_user: {
		rest: "POST /budgets/users/:user_id/corrections",
		access: "admin",
		summary: "Correct what a user, and so the tenant, has spent today, by a row of the ledger that says why",
		status: 201,
		params: { ...person, ...correctionRequest },
		returns: { type: "object", props: correction },
		errors: [404, 409, 503],
	},
	reserve: {
		rest: "POST /sessions/:session_id/reservations",
		access: "pod",
		summary: "Hold what a turn or its next model call may cost; the same id raises what it holds",
		params: { ...session, ...reservationRequest },
		returns: { type: "object", props: reservation },
		errors: [404, 409, 503],
	},
	release: {
		rest: "DELETE /sessions/:session_id/reservations/:reservation_id",
		access: "pod",
		summary: "Give back what a reservation still holds",
		params: { ...session, reservation_id: reporterId },
		errors: [404, 503],
	},
});
