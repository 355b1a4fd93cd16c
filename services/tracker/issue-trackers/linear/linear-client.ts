/** Sends operations to Linear and reads its answers and its errors. */
import { monotonic, sleep } from "#shared/clock.ts";
import type { Output } from "#shared/bus/schema.ts";
import { compileSchema } from "#shared/bus/validator.ts";
import {
	NotFoundError,
	UnauthorizedError,
	UnavailableError,
	UnprocessableError,
	UpstreamError,
} from "#shared/errors.ts";
import type { Outbound, OutboundAnswer } from "#shared/outbound/outbound.ts";
import { cut } from "../../trackers/issue-form.ts";
import { linearAnswers } from "./linear-answers.ts";
import { type LinearOperation, linearOperations } from "./linear-operations.ts";

const maxBytes = 1_048_576;
const requestMs = 15_000;
/** The most requests of one operation, and the most time in milliseconds that they may wait for Linear's limits. */
const maxTries = 3;
const maxWaitMs = 10_000;

/** The place and the credential. */
export interface LinearPlace {
	readonly url: string;
	readonly key: string;
	readonly isConfigured: boolean;
	readonly signal: AbortSignal | undefined;
}

/** One violation in a GraphQL answer. */
interface LinearError {
	readonly message: string;
	readonly code: string;
}

/** The data of an operation's answer. */
export type LinearData<O extends LinearOperation> = Output<(typeof linearAnswers)[O]>;

/** The client of one request of the platform. */
export class LinearClient {
	readonly #outbound: Outbound;
	readonly #place: LinearPlace;

	constructor(outbound: Outbound, place: LinearPlace) {
		this.#outbound = outbound;
		this.#place = place;
	}

	/**
	 * Resolves to the checked data.
	 * @throws {NotFoundError} for an entity that Linear does not know; {UnauthorizedError}; {UnavailableError} when Linear's
	 * limits leave no time; {UnprocessableError} for what Linear refuses; {UpstreamError}.
	 */
	async send<O extends LinearOperation>(operation: O, variables: object): Promise<LinearData<O>> {
		const body = JSON.stringify({ query: linearOperations[operation], variables });
		const answer = await this.#answer(body);
		const data = readBody(answer);
		if (compileSchema(linearAnswers[operation])(data).length > 0) throw malformed();
		return data as LinearData<O>;
	}

	/** Sends until Linear's limits let a request pass. */
	async #answer(body: string): Promise<OutboundAnswer> {
		const { url, key, isConfigured, signal } = this.#place;
		const headers = { "content-type": "application/json", accept: "application/json", authorization: key };
		const latest = monotonic() + maxWaitMs;
		for (let tries = 1; ; tries++) {
			const answer = await this.#outbound.send({
				url,
				method: "POST",
				headers,
				body,
				isConfigured,
				timeoutMs: requestMs,
				maxBytes,
				...(signal && { signal }),
			});
			if (!isLimited(answer)) return answer;
			const waitMs = retryAfterMs(answer);
			if (waitMs === undefined || tries === maxTries || monotonic() + waitMs > latest) throw busy(waitMs);
			await sleep(waitMs, signal);
			signal?.throwIfAborted();
		}
	}
}

function readBody({ status, body }: OutboundAnswer): unknown {
	const read = jsonOf(body);
	const error = firstError(read);
	refuseStatus(status, error);
	if (error && isUnknownEntity(error)) throw new NotFoundError("Linear does not know this issue", "ISSUE_NOT_FOUND");
	if (error) throw new UnprocessableError(`Linear refuses: ${shown(error.message)}`, "PROVIDER_REFUSED");
	if (status !== 200) throw new UpstreamError(`Linear answered with status ${status}`, "UPSTREAM_STATUS");
	return memberOf(read, "data");
}

function refuseStatus(status: number, error: LinearError | undefined): void {
	const isRefused = error?.code === "AUTHENTICATION_ERROR" || error?.code === "FORBIDDEN";
	if (status === 401 || status === 403 || isRefused)
		throw new UnauthorizedError("Linear refuses this credential", "PROVIDER_REFUSED");
	if (status >= 500) throw new UpstreamError(`Linear answered with status ${status}`, "UPSTREAM_STATUS");
}

/** Linear tells of its limits by status 429, or by 400 with a code. */
function isLimited({ status, body }: OutboundAnswer): boolean {
	return status === 429 || (status === 400 && firstError(jsonOf(body))?.code === "RATELIMITED");
}

/** Returns the wait that the answer asks for; undefined when it does not say, or asks for nonsense. */
function retryAfterMs({ headers }: OutboundAnswer): number | undefined {
	const seconds = Number(headers["retry-after"] ?? Number.NaN);
	return Number.isFinite(seconds) && seconds >= 0 && seconds <= 86_400 ? seconds * 1_000 : undefined;
}

function busy(waitMs: number | undefined): UnavailableError {
	const when = waitMs === undefined ? "later" : `in ${Math.ceil(waitMs / 1_000)} s`;
	return new UnavailableError(`Linear takes no more requests now; try again ${when}`, "PROVIDER_BUSY");
}

function isUnknownEntity({ message, code }: LinearError): boolean {
	return /^(Entity not found|Could not find referenced)/i.test(message) || code === "ENTITY_NOT_FOUND";
}

function firstError(read: unknown): LinearError | undefined {
	const errors = memberOf(read, "errors");
	const error: unknown = Array.isArray(errors) ? errors[0] : undefined;
	if (error === undefined) return undefined;
	return { message: textOf(error, "message"), code: textOf(memberOf(error, "extensions"), "code") };
}

function textOf(value: unknown, name: string): string {
	const member = memberOf(value, name);
	return typeof member === "string" ? member : "";
}

/** Returns a member of an object; undefined when the value is none, or has no such member. */
function memberOf(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function jsonOf(body: Buffer): unknown {
	try {
		return JSON.parse(body.toString("utf8"));
	} catch {
		return undefined;
	}
}

/** Linear's sentences are shown in one line and cut. */
function shown(message: string): string {
	return cut(message.replaceAll(/[\p{Cc}\s]+/gu, " ").trim(), 300);
}

function malformed(): UpstreamError {
	return new UpstreamError("Linear answered something that cannot be understood", "UPSTREAM_ANSWER");
}
