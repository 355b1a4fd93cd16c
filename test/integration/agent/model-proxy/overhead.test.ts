/**
 * The cost of the way through the proxy. Figures are printed; the bounds are wide, because machines are shared.
 * Alone: it measures time closely.
 */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { expect } from "chai";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import type { MeteredCall } from "#shared/model-proxy/metering/metered-call.ts";
import { ModelProxy } from "#shared/model-proxy/model-proxy.ts";
import type { ModelAccess } from "#shared/wire/models/model-wire.ts";
import { withoutBudget } from "../../../support/agents/open-proxy.ts";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../../../support/machine/loopback-server.ts";

const calls = 100;
const streamBytes = 16 * 1_048_576;

describe("model proxy: overhead", () => {
	it("adds little to a call, and streams far faster than any model speaks", async () => {
		await using provider = await listen();
		const metered: MeteredCall[] = [];
		const access: ModelAccess = {
			provider: "p",
			location: "cloud",
			model: "m",
			endpoints: { anthropic: provider.url },
			key: "k".repeat(20),
			context_window: 1_000,
		};
		const onCall = (call: MeteredCall): number => metered.push(call);
		const proxy = await ModelProxy.open({ access, log: new LogBuffer([]), onCall, ...withoutBudget });
		const [direct, proxied] = [`${provider.url}/v1/messages`, `${proxy.url("anthropic")}/v1/messages`];
		for (const url of [direct, proxied]) await latency(url, proxy.token, 50);
		const straight = await latency(direct, proxy.token, calls);
		const through = await latency(proxied, proxy.token, calls);
		const [directRate, proxiedRate] = [await rate(direct, proxy.token), await rate(proxied, proxy.token)];
		await proxy.close();
		const figures = (name: "p10" | "p50"): string =>
			`${name} ${straight[name].toFixed(1)} → ${through[name].toFixed(1)} ms`;
		console.log(`      a call of 100 KB, direct → through the proxy: ${figures("p10")}, ${figures("p50")}`);
		console.log(`      a stream of small events: ${directRate.toFixed(0)} → ${proxiedRate.toFixed(0)} MB/s`);
		expect(through.p10 - straight.p10).to.be.below(30);
		// 1,000 tokens/s are about 0.2 MB/s of events.
		expect(proxiedRate).to.be.above(5);
		expect(metered.at(-1)?.counts).to.deep.equal({ input: 7, output: 9, cache_read: 0, cache_write: 0 });
	}).timeout(60_000);
});

/** The time of small calls with a large request, in ms: the median and the 90th percentile. */
async function latency(url: string, token: string, count: number): Promise<{ p50: number; p10: number }> {
	const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "x".repeat(100_000) }] });
	const times: number[] = [];
	for (let call = 0; call < count; call++) {
		const start = performance.now();
		const response = await fetch(url, { method: "POST", headers: { "x-api-key": token }, body });
		await response.text();
		times.push(performance.now() - start);
	}
	times.sort((a, b) => a - b);
	return { p50: times[Math.floor(count / 2)] ?? Number.NaN, p10: times[Math.floor(count / 10)] ?? Number.NaN };
}

/** The throughput of a long stream in MB/s. */
async function rate(url: string, token: string): Promise<number> {
	const start = performance.now();
	const response = await fetch(url, {
		method: "POST",
		headers: { "x-api-key": token },
		body: '{"model":"m","stream":true}',
	});
	let bytes = 0;
	for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
	expect(bytes).to.be.at.least(streamBytes);
	return bytes / 1e3 / (performance.now() - start);
}

/** Answers at once, or with a stream of events of about 150 bytes and the usage at its end. */
async function listen(): Promise<AsyncDisposable & { url: string }> {
	const delta = `event: content_block_delta\ndata: ${JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "some words" } })}\n\n`;
	const block = Buffer.from(delta.repeat(400));
	const usage = { input_tokens: 7, output_tokens: 9, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
	const stream = async (response: ServerResponse): Promise<void> => {
		response.writeHead(200, { "content-type": "text/event-stream" });
		for (let sent = 0; sent < streamBytes; sent += block.length) {
			if (!response.write(block)) await once(response, "drain");
		}
		response.end(`event: message_delta\ndata: ${JSON.stringify({ type: "message_delta", usage })}\n\n`);
	};
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			if (Buffer.concat(chunks).includes('"stream":true')) void stream(response);
			else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ usage }));
		});
	});
	await listenOnLoopback(server);
	return {
		url: loopbackUrl(server),
		async [Symbol.asyncDispose]() {
			await closeAtOnce(server);
		},
	};
}
