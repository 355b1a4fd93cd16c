/** Errors of the proxy itself, in the form of errors of each wire format. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { ModelWire } from "#shared/wire/models/model-wire.ts";

/** The message is a sentence for the caller. */
export class ProxyError extends Error {
	override readonly name = "ProxyError";
	readonly status: number;
	readonly retryAfterS: number | undefined;

	constructor(status: number, message: string, { retryAfterS, cause }: { retryAfterS?: number; cause?: unknown } = {}) {
		super(message, { cause });
		this.status = status;
		this.retryAfterS = retryAfterS;
	}
}

const anthropicTypes: Record<number, string> = {
	400: "invalid_request_error",
	401: "authentication_error",
	402: "billing_error",
	403: "permission_error",
	404: "not_found_error",
	413: "request_too_large",
	429: "rate_limit_error",
	504: "timeout_error",
};

const geminiStatuses: Record<number, string> = {
	400: "INVALID_ARGUMENT",
	401: "UNAUTHENTICATED",
	402: "FAILED_PRECONDITION",
	403: "PERMISSION_DENIED",
	404: "NOT_FOUND",
	429: "RESOURCE_EXHAUSTED",
	502: "UNAVAILABLE",
	504: "DEADLINE_EXCEEDED",
};

export function errorBody(wire: ModelWire, { status, message }: ProxyError): object {
	if (wire === "anthropic") return { type: "error", error: { type: anthropicTypes[status] ?? "api_error", message } };
	if (wire === "gemini") return { error: { code: status, message, status: geminiStatuses[status] ?? "INTERNAL" } };
	const type = status < 500 ? "invalid_request_error" : "server_error";
	return { error: { message, type, param: null, code: status === 402 ? "budget_exceeded" : null } };
}

/** The header with the sentence of a refusal, by which a proxy before this one knows that the provider did not say it. */
export const refusalHeader = "atelier-refusal";

export function refusalHeaders({ message, retryAfterS }: ProxyError): OutgoingHttpHeaders {
	const retry = retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) };
	return { ...retry, [refusalHeader]: encodeURIComponent(message) };
}

/** Returns the refusal that another proxy has answered with; undefined for an answer of the provider. */
export function refusalIn(status: number, headers: IncomingHttpHeaders): ProxyError | undefined {
	const { [refusalHeader]: sentence, "retry-after": retryAfter } = headers;
	if (typeof sentence !== "string") return undefined;
	const retryAfterS = Number(retryAfter);
	return new ProxyError(status, decodeURIComponent(sentence), retryAfterS > 0 ? { retryAfterS } : {});
}
