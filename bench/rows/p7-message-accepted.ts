import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { eventually } from "../../test/support/eventually.ts";
import { KeptConnection } from "../kept-connection.ts";
import { wholePlatform } from "../platform.ts";
import { Program } from "../program.ts";
import { interleaved, median, quantile } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

/** Fewer than the agent lets wait. */
const inBurst = 80;
const atRest = 20;
/** Before each message and each echo of those at rest. */
const pauseMs = 50;
const content = "A message of the length that people write, with a question in it?";

/** Milliseconds of each. */
interface Times {
	readonly messages: number[];
	readonly echoes: number[];
}

export const p7: Row = {
	id: "P7",
	title: "Message to accepted by the pod, p95, over REST, against a raw WebSocket echo at the same pace",
	async measure(): Promise<Measured> {
		await using opened = await wholePlatform();
		const { platform } = opened;
		const client = platform.client();
		const { id } = (await client.post<{ id: string }>("/sessions", { name: "chat" })).body;
		const status = async () => (await client.get<{ status: string }>(`/sessions/${id}`)).body.status;
		await eventually(async () => (await status()) === "running", { withinMs: 60_000 });
		const answered = async () => {
			const { body } = await client.get<{ is_active: boolean; turns: { role: string }[] }>(
				`/sessions/${id}/conversation`,
			);
			return !body.is_active && body.turns.at(-1)?.role === "assistant";
		};
		using connection = new KeptConnection();
		const accepted = () => connection.post(`${platform.prefix}/sessions/${id}/messages`, { content });
		await using echo = await Program.start<{ port: number }>("./baselines/websocket-echo.ts", {});
		const socket = new WebSocket(`ws://127.0.0.1:${echo.ready.port}`, { perMessageDeflate: false });
		await once(socket, "open");

		/** To an agent that has answered, as a person does; in turn with echoes, to a server that has rested as long. */
		async function rest(): Promise<Times> {
			const times: Times = { messages: [], echoes: [] };
			const message = async () => {
				times.messages.push(await accepted());
				await eventually(answered, { withinMs: 60_000 });
			};
			const single = async () => times.echoes.push(await echoed(socket));
			for (let n = 0; n < atRest; n++) {
				for (const step of n % 2 === 0 ? [message, single] : [single, message]) {
					await sleep(pauseMs);
					await step();
				}
			}
			return times;
		}

		/** One after the other, while the agent answers those before; then as many echoes. */
		async function burst(): Promise<Times> {
			const times: Times = { messages: [], echoes: [] };
			for (let n = 0; n < inBurst; n++) times.messages.push(await accepted());
			await eventually(answered, { withinMs: 60_000 });
			for (let n = 0; n < inBurst; n++) times.echoes.push(await echoed(socket));
			return times;
		}

		const samples = await interleaved({ rest, burst }, 5);
		socket.close();
		return told(samples);
	},
};

function told({ rest, burst }: { rest: readonly Times[]; burst: readonly Times[] }): Measured {
	const at = (rounds: readonly Times[], what: keyof Times, q: number) =>
		median(rounds.map((round) => quantile(round[what], q)));
	const figures = {
		ours_p50_ms: at(rest, "messages", 0.5),
		ours_p95_ms: at(rest, "messages", 0.95),
		baseline_p50_ms: at(rest, "echoes", 0.5),
		baseline_p95_ms: at(rest, "echoes", 0.95),
		burst_p50_ms: at(burst, "messages", 0.5),
		burst_p95_ms: at(burst, "messages", 0.95),
		echoes_without_pause_p50_ms: at(burst, "echoes", 0.5),
		echoes_without_pause_p95_ms: at(burst, "echoes", 0.95),
	};
	return {
		verdicts: [
			{ what: "p95 against echo", value: figures.ours_p95_ms / figures.baseline_p95_ms, compare: "<=", target: 5 },
			{ what: "p95 in ms", value: figures.ours_p95_ms, compare: "<=", target: 100 },
			{ what: "p95 in ms, in a burst", value: figures.burst_p95_ms, compare: "<=", target: 100 },
		],
		figures,
	};
}

/** Milliseconds of one. */
async function echoed(socket: WebSocket): Promise<number> {
	const began = performance.now();
	socket.send(content);
	await once(socket, "message");
	return performance.now() - began;
}
