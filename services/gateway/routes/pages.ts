/** The pages of the gateway itself: whether it lives, whether it can work, what it offers. */
import type { IncomingHttpHeaders } from "node:http";
import type { Answer } from "../http/answer.ts";
import { HttpError } from "../http/http-errors.ts";
import { healthText, type Readiness } from "#host/readiness.ts";

export interface PageRoute {
	readonly kind: "page";
	readonly method: "GET";
	/** The path, in the form of an action's route. */
	readonly path: string;
	answer(headers: IncomingHttpHeaders): Promise<Answer>;
}

/**
 * Returns the pages. @param document The OpenAPI document as JSON text. @param shortcomings Sentences about guarantees
 * that this installation cannot give.
 */
export function pages(readiness: Readiness, document: string, shortcomings: readonly string[]): PageRoute[] {
	return [
		page("//health", async () => ({ status: 200, body: healthText(shortcomings) })),
		page("//ready", async () => readyAnswer(await readiness.missing())),
		page("//openapi.json", async () => ({ status: 200, body: document })),
		page("//s/:session_id/session", async () => noWebSocket.answer),
		page("/openapi.json", async () => ({ status: 200, body: document })),
	];
}

const noWebSocket = new HttpError(426, "The chat of a session is a WebSocket", ["Upgrade", "websocket"]);
const ready: Answer = { status: 200, body: JSON.stringify({ status: "ready" }) };

export function page(path: string, answer: PageRoute["answer"]): PageRoute {
	return { kind: "page", method: "GET", path, answer };
}

function readyAnswer(missing: readonly string[]): Answer {
	if (missing.length === 0) return ready;
	return new HttpError(503, `Not ready: ${missing.join("; ")}`, ["Retry-After", "1"]).answer;
}
