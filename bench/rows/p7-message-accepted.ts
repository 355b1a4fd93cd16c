import { once } from "node:events";
import { WebSocket } from "ws";
import { eventually } from "../../test/support/eventually.ts";
import { wholePlatform } from "../platform.ts";
import { Program } from "../program.ts";
import { interleaved, median, quantile } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

/** Fewer than the agent lets wait. */
const messages = 80;
const content = "A message of the length that people write, with a question in it?";

export const p7: Row = {
	id: "P7",
	title: "Message to accepted by the pod, p95, over REST, against a raw WebSocket echo",
	async measure(): Promise<Measured> {
		await using opened = await wholePlatform();
		const client = opened.platform.client();
		const { id } = (await client.post<{ id: string }>("/sessions", { name: "chat" })).body;
		const status = async () => (await client.get<{ status: string }>(`/sessions/${id}`)).body.status;
		await eventually(async () => (await status()) === "running", { withinMs: 60_000 });
		const answered = async () => {
			const { body } = await client.get<{ is_active: boolean; turns: { role: string }[] }>(
				`/sessions/${id}/conversation`,
			);
			return !body.is_active && body.turns.at(-1)?.role === "assistant";
		};

		async function accepted(): Promise<number> {
			const began = performance.now();
			const { status } = await client.post(`/sessions/${id}/messages`, { content });
			if (status !== 200) throw new Error(`A message was answered ${status}`);
			return performance.now() - began;
		}

		/** To an agent at rest, as a person does. */
		async function ours(): Promise<number[]> {
			const times: number[] = [];
			for (let n = 0; n < messages / 4; n++) {
				times.push(await accepted());
				await eventually(answered, { withinMs: 60_000 });
			}
			return times;
		}

		/** One after the other, while the agent answers those before. */
		async function burst(): Promise<number[]> {
			const times: number[] = [];
			for (let n = 0; n < messages; n++) times.push(await accepted());
			await eventually(answered, { withinMs: 60_000 });
			return times;
		}

		await using echo = await Program.start<{ port: number }>("./baselines/websocket-echo.ts", {});
		const socket = new WebSocket(`ws://127.0.0.1:${echo.ready.port}`, { perMessageDeflate: false });
		await once(socket, "open");
		const samples = await interleaved({ ours, burst, baseline: () => echoes(socket) }, 5);
		socket.close();
		const at = (rounds: readonly (readonly number[])[], q: number) => median(rounds.map((round) => quantile(round, q)));
		const figures = {
			ours_p50_ms: at(samples.ours, 0.5),
			ours_p95_ms: at(samples.ours, 0.95),
			burst_p50_ms: at(samples.burst, 0.5),
			burst_p95_ms: at(samples.burst, 0.95),
			baseline_p50_ms: at(samples.baseline, 0.5),
			baseline_p95_ms: at(samples.baseline, 0.95),
		};
		return {
			verdicts: [
				{ what: "p95 against echo", value: figures.ours_p95_ms / figures.baseline_p95_ms, compare: "<=", target: 5 },
				{ what: "p95 in ms", value: figures.ours_p95_ms, compare: "<=", target: 100 },
				{ what: "p95 in ms, in a burst", value: figures.burst_p95_ms, compare: "<=", target: 100 },
			],
			figures,
		};
	},
};

async function echoes(socket: WebSocket): Promise<number[]> {
	const times: number[] = [];
	for (let n = 0; n < messages; n++) {
		const began = performance.now();
		socket.send(content);
		await once(socket, "message");
		times.push(performance.now() - began);
	}
	return times;
}
