/** Sends operations to Linear and reads its answers and its errors. */
import { NotFoundError, UnauthorizedError, UnprocessableError } from "#shared/base/errors.ts";
import type { Outbound } from "#shared/net/outbound/outbound.ts";
import { type ProviderAnswer, ProviderClient, type Reader } from "#shared/net/outbound/provider-client.ts";
import {
	cleaned,
	malformed,
	type ProviderAsk,
	providerRefused,
	refusalOf,
} from "#shared/net/outbound/provider-errors.ts";
import { linearAnswers } from "./linear-answers.ts";
import { type LinearOperation, linearOperations } from "./linear-operations.ts";

/** The bounds of one operation of the platform. */
const bounds = { calls: 6, ms: 15_000, maxBytes: 1_048_576 };

export interface LinearPlace {
	readonly outbound: Outbound;
	readonly url: string;
	readonly isConfigured: boolean;
	readonly key: string;
}

/** The first violation in a GraphQL answer. */
interface LinearError {
	readonly message: string;
	readonly code: string;
}

type LinearData<O extends LinearOperation> = ReturnType<(typeof linearAnswers)[O]>;

/** The client of one operation of the platform, which may need two of Linear. */
export class LinearClient {
	readonly #client: ProviderClient;
	readonly #ask: ProviderAsk;

	/** @param asked The question as the end of a sentence. */
	constructor({ outbound, url, isConfigured, key }: LinearPlace, asked: string) {
		this.#ask = { provider: "Linear", asked, secrets: [key] };
		const headers = { authorization: authorization(key) };
		this.#client = new ProviderClient({ outbound, base_url: url, isConfigured, headers, ask: this.#ask, bounds });
	}

	/**
	 * Resolves to the checked data.
	 * @throws {NotFoundError} for an entity that Linear does not know; {UnprocessableError} for another refusal; otherwise
	 * the errors of `refusalOf`.
	 */
	async send<O extends LinearOperation>(operation: O, variables: object): Promise<LinearData<O>> {
		const body = { query: linearOperations[operation], variables };
		const answer = await this.#client.send({ method: "POST", path: "", body, expected: [400] });
		const error = firstError(answer.json);
		if (error || answer.status === 400) throw errorOf(this.#ask, answer, error);
		return this.#client.read(readers[operation], memberOf(answer.json, "data"));
	}
}

const readers: { readonly [O in LinearOperation]: Reader<LinearData<O>> } = linearAnswers;

/** Linear tells of most failures by a code; of its limits by the status 400 and a code. */
function errorOf(ask: ProviderAsk, { headers }: ProviderAnswer, error: LinearError | undefined): Error {
	if (!error) return malformed(ask);
	const { message, code } = error;
	if (code === "RATELIMITED") return refusalOf(ask, { status: 429, headers });
	if (code === "AUTHENTICATION_ERROR" || code === "FORBIDDEN")
		return new UnauthorizedError(`Linear refused the credential for ${ask.asked}`, providerRefused);
	if (/^(Entity not found|Could not find referenced)/i.test(message))
		return new NotFoundError(`Linear does not know ${ask.asked}, or hides it from this credential`, "ISSUE_NOT_FOUND");
	return new UnprocessableError(`Linear did not accept ${ask.asked}: "${cleaned(ask, message)}"`, "PROVIDER_INVALID");
}

function firstError(json: unknown): LinearError | undefined {
	const errors = memberOf(json, "errors");
	if (!Array.isArray(errors) || errors.length === 0) return undefined;
	const error: unknown = errors[0];
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

/** Personal keys stand alone in the header; tokens of OAuth applications are bearer tokens. */
function authorization(key: string): string {
	return key.startsWith("lin_oauth_") ? `Bearer ${key}` : key;
}
