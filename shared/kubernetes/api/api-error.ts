/** The failure of a call to the cluster's API: its refusal, or that it could not be asked. */
import { oneLine } from "#shared/base/one-line.ts";
import type { KubeStatus } from "./kube-object.ts";

/** A member of the request that the API does not take, and why. */
export interface ApiCause {
	/** Such as `spec.containers[0].image`. */
	readonly field: string;
	readonly reason: string;
	readonly message: string;
}

/** The reasons of failures without an answer, beside the API's own ones such as `NotFound` and `AlreadyExists`. */
export type NoAnswer =
	| "Unreachable"
	| "ClientTimeout"
	| "Aborted"
	| "AnswerTooLarge"
	| "AnswerUnreadable"
	| "TooManyCalls"
	| "NoCredentials";

const maxMessage = 1_000;
const maxCauses = 20;
/** Texts that are shorter are no secrets, and would be taken out of ordinary words. */
const shortestSecret = 8;
/** The longest wait that is believed, in milliseconds. */
const longestWaitMs = 120_000;

interface ApiErrorDetails {
	readonly status?: number | undefined;
	readonly reason: string;
	readonly message: string;
	readonly retryAfterMs?: number | undefined;
	readonly causes?: readonly ApiCause[];
	readonly cause?: unknown;
}

/** The one error of the client. Its message is a line for people, without the credentials of the call. */
export class ApiError extends Error {
	override readonly name = "ApiError";
	/** The status of HTTP; undefined without an answer, so that nobody knows whether a write has happened. */
	readonly status: number | undefined;
	readonly reason: string;
	/** The time after which the API wants to be asked again, in milliseconds; undefined when it does not say. */
	readonly retryAfterMs: number | undefined;
	readonly causes: readonly ApiCause[];

	constructor({ status, reason, message, retryAfterMs, causes = [], cause }: ApiErrorDetails) {
		super(message, { cause });
		this.status = status;
		this.reason = reason;
		this.retryAfterMs = retryAfterMs;
		this.causes = causes;
	}

	/** Whether a list or a watch has to begin again, because the server has forgotten the version. */
	get isExpired(): boolean {
		return this.status === 410 || this.reason === "Expired" || this.reason === "Gone";
	}

	/** Whether the server has never had the version that it was asked for, as after the restoration of a backup. */
	get isVersionUnknown(): boolean {
		return this.causes.some(({ reason }) => reason === "ResourceVersionTooLarge");
	}
}

/** Returns the error of a call without an answer. */
export function noAnswer(reason: NoAnswer, message: string, cause?: unknown): ApiError {
	return new ApiError({ reason, message, cause });
}

/** A refusal as the API has answered it. */
export interface Refusal {
	/** The status of HTTP; absent: the one in the body. */
	readonly status?: number;
	/** The parsed JSON, or the text when it is none. */
	readonly body: unknown;
	/** The header `Retry-After`. */
	readonly retryAfter?: string | undefined;
	/** Texts that the error must not have, such as the token of the call. */
	readonly secrets?: readonly string[];
}

/** Returns the error of a refusal. A proxy in between answers with anything. */
export function refusalError({ status, body, retryAfter, secrets = [] }: Refusal): ApiError {
	const { code, reason, message, details } = statusIn(body);
	const shown = (text: unknown): string =>
		typeof text === "string" ? oneLine(withoutSecrets(text, secrets), maxMessage) : "";
	const found = status ?? (typeof code === "number" ? code : undefined);
	return new ApiError({
		status: found,
		reason: shown(reason) || "Unknown",
		message: shown(message) || `The cluster's API has answered ${found ?? "an error"}`,
		retryAfterMs: waitOf(retryAfter) ?? waitOf(details?.retryAfterSeconds),
		causes: causesIn(details).map((each) => ({
			field: shown(each?.field),
			reason: shown(each?.reason),
			message: shown(each?.message),
		})),
	});
}

function causesIn(details: KubeStatus["details"]) {
	return Array.isArray(details?.causes) ? details.causes.slice(0, maxCauses) : [];
}

function statusIn(body: unknown): KubeStatus {
	// Its members are checked as they are read.
	return body instanceof Object ? (body as KubeStatus) : {};
}

/** Returns milliseconds. The API counts whole seconds (RFC 9110, 10.2.3); a date is not understood. */
function waitOf(seconds: unknown): number | undefined {
	const count = Number(seconds ?? Number.NaN);
	return Number.isFinite(count) && count >= 0 ? Math.min(count * 1_000, longestWaitMs) : undefined;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
	const real = secrets.filter(({ length }) => length >= shortestSecret);
	return real.reduce((left, secret) => left.replaceAll(secret, "[hidden]"), text);
}
