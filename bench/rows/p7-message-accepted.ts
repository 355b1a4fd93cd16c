import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { eventually } from "../../test/support/eventually.ts";
import { PersistentConnection } from "../persistent-connection.ts";
import { wholePlatform } from "../platform.ts";
import { Program } from "../program.ts";
import { interleaved, median, quantile } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

/** The messages of a burst, fewer than the agent's queue holds. */
const inBurst = 80;
const atRest = 20;
/** The pause before each message and each echo at rest, in milliseconds. */
const pauseMs = 50;
const content = "A message of the length that people write, with a question in it?";

/** The times of one run in milliseconds. */
interface Times {
	/** Messages over the WebSocket of the session's chat, as a browser sends them. */
	readonly said: number[];
	/** Messages over REST. */
	readonly posted: number[];
	readonly echoes: number[];
}

/** The ways of sending; each sends once and resolves to the milliseconds until the answer. */
interface Ways {
	readonly say: () => Promise<number>;
	readonly post: () => Promise<number>;
	readonly echo: () => Promise<number>;
	/** Resolves when the agent has answered everything. */
	readonly answered: () => Promise<unknown>;
}

interface View {
	status: string;
	chat_endpoint: string | null;
}

export const p7: Row = {
	id: "P7",
	title:
		"Message to accepted by the pod, p95, over the chat and over REST, against a raw WebSocket echo at the same pace",
	async measure(): Promise<Measured> {
		await using opened = await wholePlatform();
		const { platform } = opened;
		const client = platform.client();
		const { id } = (await client.post<{ id: string }>("/sessions", { name: "chat" })).body;
		const view = async () => (await client.get<View>(`/sessions/${id}`)).body;
		await eventually(async () => (await view()).status === "running", { withinMs: 60_000 });
		const answered = async () => {
			const { body } = await client.get<{ is_active: boolean; turns: { role: string }[] }>(
				`/sessions/${id}/conversation`,
			);
			return !body.is_active && body.turns.at(-1)?.role === "assistant";
		};
		using connection = new PersistentConnection();
		await using echo = await Program.start<{ port: number }>("./baselines/websocket-echo.ts", {});
		const echoing = await openSocket(`ws://127.0.0.1:${echo.ready.port}`);
		const chat = await openSocket((await view()).chat_endpoint ?? "");
		const ways: Ways = {
			say: () => said(chat),
			post: () => connection.post(`${platform.prefix}/sessions/${id}/messages`, { content }),
			echo: () => echoed(echoing),
			answered: () => eventually(answered, { withinMs: 60_000 }),
		};
		const samples = await interleaved({ rest: () => rest(ways), burst: () => burst(ways) }, 5);
		for (const socket of [echoing, chat]) socket.close();
		return measuredOf(samples);
	},
};

/**
 * Measures messages to an agent that has answered all before, as a person sends them, in turn with echoes of a server
 * that has rested as long.
 */
async function rest({ say, post, echo, answered }: Ways): Promise<Times> {
	const times: Times = { said: [], posted: [], echoes: [] };
	const steps = [
		async () => {
			times.said.push(await say());
			await answered();
		},
		async () => {
			times.posted.push(await post());
			await answered();
		},
		async () => times.echoes.push(await echo()),
	];
	for (let n = 0; n < atRest; n++)
		for (let place = 0; place < steps.length; place++) {
			await sleep(pauseMs);
			await steps[(n + place) % steps.length]?.();
		}
	return times;
}

/** Measures messages one after the other while the agent still answers earlier ones, and then as many echoes. */
async function burst({ say, post, echo, answered }: Ways): Promise<Times> {
	const times: Times = { said: [], posted: [], echoes: [] };
	for (const [list, send] of [
		[times.posted, post],
		[times.said, say],
	] as const) {
		for (let n = 0; n < inBurst; n++) list.push(await send());
		await answered();
	}
	for (let n = 0; n < inBurst; n++) times.echoes.push(await echo());
	return times;
}

function measuredOf({ rest, burst }: { rest: readonly Times[]; burst: readonly Times[] }): Measured {
	const at = (rounds: readonly Times[], what: keyof Times, q: number) =>
		median(rounds.map((round) => quantile(round[what], q)));
	const figures = {
		chat_p50_ms: at(rest, "said", 0.5),
		chat_p95_ms: at(rest, "said", 0.95),
		rest_p50_ms: at(rest, "posted", 0.5),
		rest_p95_ms: at(rest, "posted", 0.95),
		baseline_p50_ms: at(rest, "echoes", 0.5),
		baseline_p95_ms: at(rest, "echoes", 0.95),
		chat_burst_p95_ms: at(burst, "said", 0.95),
		rest_burst_p95_ms: at(burst, "posted", 0.95),
		echoes_without_pause_p95_ms: at(burst, "echoes", 0.95),
	};
	const echo = figures.baseline_p95_ms;
	return {
		verdicts: [
			{ what: "p95 over the chat against echo", value: figures.chat_p95_ms / echo, compare: "<=", target: 5 },
			{ what: "p95 over REST against echo", value: figures.rest_p95_ms / echo, compare: "<=", target: 5 },
			{ what: "p95 over REST in ms", value: figures.rest_p95_ms, compare: "<=", target: 100 },
			{ what: "p95 over REST in ms, in a burst", value: figures.rest_burst_p95_ms, compare: "<=", target: 100 },
		],
		figures,
	};
}

async function openSocket(url: string): Promise<WebSocket> {
	const socket = new WebSocket(url, ["atelier.chat"], { perMessageDeflate: false });
	await once(socket, "open");
	return socket;
}

/** Resolves to the milliseconds until the pod has confirmed a message. @throws {Error} when it refuses. */
async function said(chat: WebSocket): Promise<number> {
	const id = randomUUID();
	const confirmed = new Promise<void>((resolve, reject) => {
		const read = (data: Buffer) => {
			const frame: { type: string; id?: string } = JSON.parse(data.toString());
			if (frame.id !== id) return;
			chat.off("message", read);
			if (frame.type === "user_confirmed") resolve();
			else reject(new Error(`The pod answered ${data.toString()}`));
		};
		chat.on("message", read);
	});
	const began = performance.now();
	chat.send(JSON.stringify({ type: "user", id, content }));
	await confirmed;
	return performance.now() - began;
}

/** Resolves to the milliseconds of one echo. */
async function echoed(socket: WebSocket): Promise<number> {
	const began = performance.now();
	socket.send(content);
	await once(socket, "message");
	return performance.now() - began;
}
