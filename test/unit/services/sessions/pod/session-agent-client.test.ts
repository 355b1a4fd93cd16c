import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { WebSocketServer } from "ws";
import { answerForm } from "#services/sessions/pod/pod-answer.ts";
import { SessionAgentClient } from "#services/sessions/pod/session-agent-client.ts";
import type { PodAddress } from "#services/sessions/pod/pod-address.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { BadRequestError, ConflictError, UpstreamError } from "#shared/base/errors.ts";
import { eventually } from "../../../../support/eventually.ts";
import { failureOf } from "../../../../support/failure-of.ts";

describe("SessionAgentClient", () => {
	const client = new SessionAgentClient();
	let server: Server | undefined;

	afterEach(async () => {
		server?.closeAllConnections();
		await server?.[Symbol.asyncDispose]();
		server = undefined;
	});

	/** A pod that answers every request alike. */
	async function podThat(answers: RequestListener): Promise<PodAddress> {
		const listening = createServer(answers);
		server = listening;
		await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
		const { port } = listening.address() as AddressInfo;
		return { sessionId: "s1", generation: 1, url: `http://127.0.0.1:${port}`, key: "k" };
	}

	function refusing(status: number): Promise<PodAddress> {
		return podThat((_request, response) => {
			response.writeHead(status, { "content-type": "application/json" });
			response.end(JSON.stringify({ detail: "Why not" }));
		});
	}

	const form = answerForm(sessions.actions.logs);
	const refusals = { 404: (detail: string) => new ConflictError(detail, "OF_THIS_CALL") };

	for (const [status, refusal, type] of [
		[400, BadRequestError, "BAD_REQUEST"],
		[404, UpstreamError, "POD_ANSWER"],
		[409, UpstreamError, "POD_ANSWER"],
		[500, UpstreamError, "POD_ANSWER"],
	] as const) {
		it(`takes ${status} for ${type} where the call says nothing else, whether it asks or commands`, async () => {
			const pod = await refusing(status);
			for (const asked of [client.get(pod, "/api/logs", { form }), client.post(pod, "/api/interrupt", {}, { form })])
				expect(await failureOf(asked))
					.to.be.instanceOf(refusal)
					.with.property("type", type);
		});
	}

	it("passes the pod's sentence about its failure on, in plain characters and not all of it (X15)", async () => {
		const pod = await podThat((_request, response) => {
			response.writeHead(502, { "content-type": "application/json" });
			response.end(JSON.stringify({ detail: `Cannot compare\u001b[2J\n: ${"x".repeat(10_000)}` }));
		});
		expect(await failureOf(client.get(pod, "/api/diff/patch", { form })))
			.to.have.property("message")
			.that.matches(/^The session's pod answered 502: Cannot compare \[2J : x{400,500}…$/);
	});

	it("translates a refusal as the call says", async () => {
		const pod = await refusing(404);
		for (const asked of [client.get(pod, "/", { form, refusals }), client.post(pod, "/", {}, { form, refusals })]) {
			const failure = await failureOf(asked);
			expect(failure).to.be.instanceOf(ConflictError).and.to.include({ type: "OF_THIS_CALL", message: "Why not" });
		}
	});

	const deep = `${"[".repeat(400_000)}${"]".repeat(400_000)}`;
	const level = (lines: string) => `{"session_id":"s","total":0,"returned":0,"lines":${lines}}`;
	for (const answer of ["", "{", "null", '"abc"', "[]", "{}", level('"x"'), level("[null]"), deep, level(deep)]) {
		it(`passes on no answer outside the contract: ${answer.slice(0, 60)}`, async () => {
			const pod = await podThat((_request, response) => response.end(answer));
			expect(await failureOf(client.get(pod, "/api/logs", { form })))
				.to.be.instanceOf(UpstreamError)
				.with.property("type", "POD_ANSWER");
		});
	}

	it("leaves out what the contract does not name", async () => {
		const pod = await podThat((_request, response) => response.end(`${level("[]").slice(0, -1)},"more":1}`));
		expect(await client.get(pod, "/api/logs", { form })).to.deep.equal(JSON.parse(level("[]")));
	});

	it("makes one short line of the sentence of a refusal", async () => {
		const detail = `\u001b[2J\nFORGED ${"x".repeat(600_000)}`;
		const pod = await podThat((_request, response) => {
			response.statusCode = 400;
			response.end(JSON.stringify({ detail, type: "x\n" }));
		});
		const { message } = await failureOf<UpstreamError>(client.get(pod, "/api/logs", { form }));
		expect(message)
			.to.match(/^\[2J FORGED x+…$/)
			.and.to.have.length(500);
	});

	it("closes the connection that was idle for longest for one more pod, and none with a message under way", async () => {
		const pods = new WebSocketServer({ host: "127.0.0.1", port: 0 });
		const silent = new Set<string>();
		pods.on("connection", (socket) =>
			socket.on("message", (data: Buffer) => {
				const { id, content } = JSON.parse(data.toString()) as { id: string; content: string };
				if (!silent.has(content)) socket.send(JSON.stringify({ type: "user_confirmed", id, content }));
			}),
		);
		await once(pods, "listening");
		const { port } = pods.address() as AddressInfo;
		const pod = (sessionId: string): PodAddress => ({
			sessionId,
			generation: 1,
			url: `http://127.0.0.1:${port}`,
			key: "k",
		});
		const few = new SessionAgentClient({ maxSockets: 2 });
		try {
			for (const name of ["a", "b", "a", "c", "d"]) await few.send(pod(name), name, name);
			await eventually(() => pods.clients.size === 2);
			silent.add("hangs");
			const hanging = [failureOf(few.send(pod("c"), "1", "hangs")), failureOf(few.send(pod("d"), "2", "hangs"))];
			await eventually(() => pods.clients.size === 2);
			expect(await failureOf(few.send(pod("e"), "3", "one too many"))).to.include({ type: "POD_SOCKETS" });
			few.close();
			for (const failure of await Promise.all(hanging)) expect(failure).to.be.instanceOf(UpstreamError);
		} finally {
			few.close();
			for (const socket of pods.clients) socket.terminate();
			pods.close();
		}
	});

	for (const [what, count, frame] of [
		["small frames", 5_000, '{"type":"user_confirmed","id":"z"}'],
		["large frames", 100, `{"type":"user_confirmed","id":"z","content":"${"x".repeat(50_000)}"}`],
		["a frame that is larger than any confirmation", 1, JSON.stringify("x".repeat(70_000))],
	] as const) {
		it(`closes the connection of a pod that floods it with ${what}, and opens another one for the next message`, async () => {
			const pods = new WebSocketServer({ host: "127.0.0.1", port: 0 });
			let opened = 0;
			pods.on("connection", (socket) => {
				opened++;
				socket.on("message", (data: Buffer) => {
					const { id } = JSON.parse(data.toString()) as { id: string };
					socket.send(JSON.stringify({ type: "user_confirmed", id }));
					for (let n = 0; n < count; n++) socket.send(frame);
				});
			});
			await once(pods, "listening");
			const { port } = pods.address() as AddressInfo;
			const pod = { sessionId: "s", generation: 1, url: `http://127.0.0.1:${port}`, key: "k" };
			try {
				for (const id of ["1", "2"]) {
					await client.send(pod, id, "hello");
					await eventually(() => pods.clients.size === 0, { what: "the connection is closed" });
				}
				expect(opened).to.equal(2);
			} finally {
				for (const socket of pods.clients) socket.terminate();
				pods.close();
			}
		});
	}

	it("waits as long as the call says", async () => {
		const pod = await podThat(() => {});
		const began = performance.now();
		expect(await failureOf(client.get(pod, "/api/diff", { form, timeoutMs: 100 })))
			.to.be.instanceOf(UpstreamError)
			.with.property("type", "POD_UNREACHABLE");
		expect(performance.now() - began).to.be.within(90, 3_000);
	});
});
