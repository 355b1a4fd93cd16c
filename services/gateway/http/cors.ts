/** Makes the headers for foreign pages that the configuration allows to call (WHATWG Fetch, CORS protocol). */
import type { IncomingMessage } from "node:http";
import type { Answer } from "./answer.ts";

/**
 * Returns alternating names and values. Credentials of browsers are not allowed, because callers authenticate by their
 * token alone.
 */
export function corsHeaders(origin: string): string[] {
	return [
		"Access-Control-Allow-Origin",
		origin,
		"Access-Control-Expose-Headers",
		"Atelier-Warnings, Link, Retry-After, X-Error-Code, X-Request-ID",
		"Vary",
		"Origin",
	];
}

/** Whether the request is a preflight, which a browser sends before the request itself. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
	return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

export const preflightAnswer: Answer = {
	status: 204,
	headers: [
		"Access-Control-Allow-Methods",
		"GET, POST, PUT, PATCH, DELETE",
		"Access-Control-Allow-Headers",
		"Atelier-Tenant, Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-ID",
		"Access-Control-Max-Age",
		"600",
	],
};
