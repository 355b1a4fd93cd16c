/** The platform's side of reservations, as a session agent sees it. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { AskingCall } from "#shared/model-proxy/metering/metered-call.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";

interface Asked {
	method: string;
	id: string;
	body: Record<string, unknown>;
}

/** Answers requests for reservations as a test configures it. */
export class ReservationBank {
	readonly asked: Asked[] = [];
	limited = true;
	granted = true;
	/** A further condition on a granted request. */
	grants: (body: Record<string, unknown>) => boolean = () => true;
	/** The ids of the reservations that were granted and not returned. */
	readonly held = new Set<string>();
	refused = 0;
	/** How long a returned reservation still counts as held, in milliseconds. */
	returnMs = 0;
	/** The response instead of an answer. */
	nonsense: { status: number; text: string } | undefined;
	#server: Server | undefined;
	readonly #port: number;

	constructor(port: number) {
		this.#port = port;
	}

	get url(): string {
		return `http://127.0.0.1:${this.#port}/api`;
	}

	async open(): Promise<void> {
		this.#server = createServer((request, response) => {
			void text(request).then((body) => this.#answer(request, body, response));
		}).listen(this.#port, "127.0.0.1");
		await once(this.#server, "listening");
	}

	async #answer({ method = "", url = "" }: IncomingMessage, sent: string, response: ServerResponse): Promise<void> {
		const body = sent === "" ? {} : (JSON.parse(sent) as Record<string, unknown>);
		const id = method === "DELETE" ? (url.split("/").at(-1) ?? "") : String(body["reservation_id"]);
		this.asked.push({ method, id, body });
		const granted = this.granted && this.grants(body);
		if (method === "DELETE") await sleep(this.returnMs).then(() => this.held.delete(id));
		else this.#decide(id, granted);
		const reason = granted ? null : { code: "BUDGET_EXCEEDED", message: "The budget is too small", scope: "session" };
		const answer = { granted, limited: this.limited, reservation_id: id, amount: 1, reason };
		const given = this.nonsense ?? { status: 200, text: JSON.stringify(answer) };
		response.writeHead(given.status, { "content-type": "application/json" }).end(given.text);
	}

	#decide(id: string, granted: boolean): void {
		if (granted) this.held.add(id);
		else this.refused++;
	}

	close(): void {
		this.#server?.closeAllConnections();
		this.#server?.close();
	}

	count(method: string): number {
		return this.asked.filter((one) => one.method === method).length;
	}
}

/** The message whose turn waits for a reservation. */
export const waitingMessage: ConversationTurn = {
	id: "m",
	role: "user",
	content: "",
	parts: [],
	created_at: "",
	metadata: {},
};
/** Makes a call that requests admission. @param input The most tokens that it reads. */
export function askingCall(id: string, input = 300): AskingCall {
	const bounds = { likely: { input: 30, output: 40 }, atMost: { input, output: 400 } };
	return { id, wire: "anthropic", model: "large", bounds };
}

/** The tokens of each call of a test. */
export const usedTokens: TokenCounts = { input: 100, output: 10, cache_read: 5, cache_write: 1 };
