/** Sends the requests of the proof of access. */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import { deadline, sleep } from "#shared/base/clock.ts";
import type { Caller } from "./caller.ts";

/** An answer, as the proof looks at it. */
export interface ProbeAnswer {
	readonly status: number;
	readonly text: string;
	/** The headers without those that differ in every answer, as sorted lines. */
	readonly headers: string;
}

export interface Probe {
	readonly method: string;
	/** The path below the origin, with the query. */
	readonly path: string;
	readonly body?: object | undefined;
	readonly isHandshake?: boolean;
}

const requestMs = 30_000;
/** The most times that a request waits for its turn. */
const maxWaits = 20;
const longestWaitSeconds = 60;
/** Headers that differ in answers to the same request, and the length, which the text shows better. */
const changing = new Set(["date", "x-request-id", "keep-alive", "connection", "etag", "content-length"]);

const handshake = {
	connection: "Upgrade",
	upgrade: "websocket",
	"sec-websocket-version": "13",
	"sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
	"sec-websocket-protocol": "atelier.chat",
};

export class Prober {
	/** E.g. `http://127.0.0.1:8080`. */
	readonly origin: string;
	sent = 0;

	constructor(origin: string) {
		this.origin = origin;
	}

	/** Sends a request; one that is refused because there were too many is sent again when the answer says. */
	async send(caller: Pick<Caller, "headers">, probe: Probe): Promise<ProbeAnswer> {
		for (let waits = 0; ; waits++) {
			this.sent++;
			const { answer, retryAfter } = await (probe.isHandshake
				? this.#upgrade(caller.headers, probe)
				: this.#fetch(caller.headers, probe));
			if (answer.status !== 429 || waits >= maxWaits) return answer;
			await sleep(1_000 * Math.min(longestWaitSeconds, Number(retryAfter) || 1));
		}
	}

	async #fetch(headers: Caller["headers"], { method, path, body }: Probe) {
		const response = await fetch(this.origin + path, {
			method,
			redirect: "manual",
			headers: { ...headers, ...(body && { "content-type": "application/json" }) },
			...(body && { body: JSON.stringify(body) }),
			signal: deadline(requestMs),
		});
		const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
		if (isStream) await response.body?.cancel();
		const text = isStream ? "" : await response.text();
		const answer = { status: response.status, text, headers: linesOf([...response.headers]) };
		return { answer, retryAfter: response.headers.get("retry-after") };
	}

	/** Asks for a WebSocket, and closes it at once if there is one. */
	#upgrade(headers: Caller["headers"], { path }: Probe) {
		const send = this.origin.startsWith("https:") ? httpsRequest : httpRequest;
		return new Promise<{ answer: ProbeAnswer; retryAfter: string | undefined }>((resolve, reject) => {
			const request = send(this.origin + path, {
				headers: { ...headers, ...handshake },
				agent: false,
				signal: deadline(requestMs),
			});
			request.once("upgrade", (_response, socket) => {
				socket.destroy();
				resolve({ answer: { status: 101, text: "", headers: "" }, retryAfter: undefined });
			});
			request.once("response", (response) => {
				const { statusCode: status = 0, headers: own } = response;
				const headers = linesOf(Object.entries(own).map(([name, value]) => [name, String(value)]));
				text(response).then(
					(body) => resolve({ answer: { status, text: body, headers }, retryAfter: own["retry-after"] }),
					reject,
				);
			});
			request.once("error", reject);
			request.end();
		});
	}
}

function linesOf(headers: readonly (readonly [string, string])[]): string {
	return headers
		.filter(([name]) => !changing.has(name))
		.map(([name, value]) => `${name}: ${value}`)
		.toSorted()
		.join("\n");
}
