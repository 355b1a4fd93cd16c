/** The guards of the proxy: who may use it, for which calls, and with which bounds. */
import { once } from "node:events";
import { createServer, request as httpRequest, type RequestListener, type Server } from "node:http";
import { connect } from "node:net";
import { expect } from "chai";
import type { ModelCallsDependencies } from "#shared/model-proxy/model-calls.ts";
import { modelWires } from "#shared/wire/models/model-wire.ts";
import { eventually } from "../../../support/eventually.ts";
import { jsonOf } from "../../../support/model-server/model-request.ts";
import { askModel, userMessage } from "../../../support/model-server/simple-caller.ts";
import { ProxiedModel } from "../../../support/agents/open-proxy.ts";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../../../support/machine/loopback-server.ts";

const hello = (): { text: string } => ({ text: "hello" });
const asked = userMessage("hi");

describe("model proxy: guarding", () => {
	it("refuses callers without the token, in the wire's own form", async () => {
		await using model = await ProxiedModel.open(hello);
		for (const wire of modelWires) {
			for (const key of ["", "wrong", model.server.key]) {
				const answer = await askModel({ ...model.access, key }, wire, asked);
				expect(answer.status, `${wire} "${key}"`).to.equal(401);
				const { message } = jsonOf(jsonOf(JSON.parse(answer.raw))["error"]);
				expect(message).to.equal("The token of the session's model proxy is required");
			}
		}
		expect(model.server.requests).to.deep.equal([]);
	});

	it("accepts the token in every place of a wire's key, and never passes it on", async () => {
		await using model = await ProxiedModel.open(hello);
		const { endpoints, key } = model.access;
		const shown: Record<string, string>[] = [
			{ authorization: `Bearer ${key}` },
			{ "x-api-key": key, cookie: `token=${key}` },
			{ "x-goog-api-key": key },
		];
		for (const headers of shown) await call(`${endpoints.gemini}/v1beta/models/m:generateContent`, { headers });
		await call(`${endpoints.gemini}/v1beta/models/m:streamGenerateContent?alt=sse&key=${key}`, {});
		expect(model.server.requests).to.have.lengthOf(4);
		for (const { headers } of model.server.requests) {
			expect(JSON.stringify(headers)).not.to.contain(key);
			expect(headers["x-goog-api-key"]).to.equal(model.server.key);
		}
		for (const wire of modelWires) await askModel(model.access, wire, asked);
		const keys = model.server.requests
			.slice(4)
			.map(({ headers }) => headers["x-goog-api-key"] ?? headers["x-api-key"] ?? headers["authorization"]);
		const { key: real } = model.server;
		expect(keys).to.deep.equal([`Bearer ${real}`, `Bearer ${real}`, real, real]);
	});

	it("refuses web pages and foreign names of loopback", async () => {
		await using model = await ProxiedModel.open(hello);
		const { port } = new URL(model.proxy.url("anthropic") ?? "");
		for (const headers of [
			{ origin: "http://evil.example" },
			{ host: `evil.example:${port}` },
			{ host: "127.0.0.1" },
		]) {
			expect(
				await status(port, "POST", "/anthropic/v1/messages", { ...headers, "x-api-key": model.proxy.token }),
			).to.equal(403);
		}
		expect(model.server.requests).to.deep.equal([]);
	});

	it("serves only calls of the wires and lists of the model", async () => {
		await using model = await ProxiedModel.open(hello);
		const { port } = new URL(model.proxy.url("anthropic") ?? "");
		const shown = { "x-api-key": model.proxy.token };
		const refused: [string, string][] = [
			["POST", "/anthropic/v1/files"],
			["POST", "/openai-chat/embeddings"],
			["POST", "/openai-chat/images/generations"],
			["POST", "/openai-chat/audio/speech"],
			["POST", "/gemini/v1beta/models/m:embedContent"],
			["POST", "/gemini/v1beta/models/m:predict"],
			["POST", "/anthropic/v1/messages/batches"],
			["POST", "/anthropic/v1/messages/../files"],
			["POST", "/anthropic/v1/%6dessages"],
			["POST", "/anthropic//v1/messages"],
			["POST", "/openai-chat/v1/messages"],
			["POST", "/gemini/v1beta/models/a%2F..%2Fb:generateContent"],
			["POST", "/gemini/v1beta/models/m:batchGenerateContent"],
			["POST", "/anthropic/v1/models"],
			["GET", "/anthropic/v1/messages"],
			["DELETE", "/openai-chat/models/m"],
			["GET", "/openai-chat/models/../files"],
			["POST", "http://evil.example/anthropic/v1/messages"],
			["GET", "/"],
			["POST", "/nothing/v1/messages"],
		];
		for (const [method, path] of refused)
			expect(await status(port, method, path, shown), `${method} ${path}`).to.equal(404);
		expect(model.server.requests).to.deep.equal([]);
		for (const [wire, path] of [
			["openai-chat", "/models"],
			["openai-responses", "/models/gpt-5:x"],
			["anthropic", "/v1/models"],
			["gemini", "/v1beta/models"],
		]) {
			expect(await status(port, "GET", `/${wire}${path}`, shown), wire).to.equal(200);
		}
		const counting = { headers: shown, body: "{}" };
		expect(
			jsonOf(await (await call(`${model.access.endpoints.anthropic}/v1/messages/count_tokens`, counting)).json()),
		).to.include({ input_tokens: 1_000 });
		expect(model.metered, "lists and counts cost nothing").to.deep.equal([]);
	});

	it("serves only the wires of the provider", async () => {
		await using all = await ProxiedModel.open(hello);
		const endpoints = { anthropic: all.server.endpoints.anthropic };
		await using model = await ProxiedModel.open(hello, { access: all.server.access({ endpoints }) });
		expect(modelWires.map((wire) => model.proxy.url(wire) !== undefined)).to.deep.equal([false, false, true, false]);
		const { port } = new URL(model.proxy.url("anthropic") ?? "");
		expect(await status(port, "POST", "/openai-chat/chat/completions", { "x-api-key": model.proxy.token })).to.equal(
			404,
		);
	});

	it("follows no redirect with the key", async () => {
		const seen: string[] = [];
		await using other = await listen((request, response) => {
			seen.push(request.url ?? "");
			response.writeHead(307, { location: `${other.url}/elsewhere` }).end();
		});
		await using model = await ProxiedModel.open(hello, accessTo(other.url));
		const answer = await askModel(model.access, "anthropic", asked);
		expect(answer.status).to.equal(502);
		expect(seen).to.deep.equal(["/v1/messages"]);
		expect(model.metered).to.have.lengthOf(1);
	});

	it("keeps the key out of answers and logs, even of a provider that repeats it", async () => {
		await using model = await ProxiedModel.open(hello);
		const message = `Incorrect API key provided: ${model.server.key}`;
		model.server.failNext({ kind: "status", status: 401, message });
		const answer = await askModel(model.access, "openai-chat", asked);
		expect(answer.raw).to.contain("Incorrect API key provided: ***");
		await using echo = await listen((request, response) => {
			response.writeHead(200, { "x-echo": String(request.headers["x-api-key"]), "x-other": "kept" }).end("{}");
		});
		await using echoed = await ProxiedModel.open(hello, accessTo(echo.url, model.server.key));
		const { headers } = await askModel(echoed.access, "anthropic", asked);
		expect([headers.get("x-echo"), headers.get("x-other")]).to.deep.equal([null, "kept"]);
		expect(JSON.stringify([model.logged, echoed.logged])).not.to.contain(model.server.key);
	});

	it("says in one sentence that the provider cannot be reached", async () => {
		const gone = await listen(() => {});
		await gone[Symbol.asyncDispose]();
		await using model = await ProxiedModel.open(hello, accessTo(gone.url));
		const sentence = `Provider "other" at ${gone.url} cannot be reached: ECONNREFUSED (nothing listens there: start its server, or choose another model)`;
		const answer = await askModel(model.access, "gemini", asked);
		expect(answer.status).to.equal(502);
		expect(jsonOf(JSON.parse(answer.raw))["error"]).to.deep.include({
			message: sentence,
			status: "UNAVAILABLE",
		});
		expect(model.logged).to.include(sentence);
	});

	it("refuses a call that is not admitted, before it reaches the provider", async () => {
		const admit = (): Promise<string> => Promise.resolve("The budget of the session is used up");
		await using model = await ProxiedModel.open(hello, { admit });
		for (const wire of modelWires) {
			const answer = await askModel(model.access, wire, asked);
			expect(answer.status).to.equal(402);
			expect(answer.raw).to.contain("The budget of the session is used up");
		}
		expect([model.server.requests, model.metered]).to.deep.equal([[], []]);
	});

	it("bounds bodies, headers and concurrent calls", async () => {
		await using model = await ProxiedModel.open(() => ({ fault: { kind: "stall" } }), {
			limits: { bodyBytes: 10_000, heldBytes: 12_000, calls: 3 },
		});
		const { port } = new URL(model.proxy.url("anthropic") ?? "");
		const large = await askModel(model.access, "anthropic", userMessage("x".repeat(10_001)));
		expect(large.status).to.equal(413);
		expect(await status(port, "GET", "/anthropic/v1/models", { "x-api-key": "x".repeat(40_000) })).to.equal(431);
		const leaving = new AbortController();
		const wait = (text: string): Promise<unknown> =>
			askModel(model.access, "anthropic", { ...userMessage(text), signal: leaving.signal }).catch(() => undefined);
		const stalled = [wait("x".repeat(8_000))];
		await eventually(() => model.server.requests.length === 1);
		expect((await askModel(model.access, "anthropic", userMessage("x".repeat(8_000)))).status, "held").to.equal(429);
		stalled.push(wait("a"), wait("b"));
		await eventually(() => model.server.requests.length === 3);
		const fourth = await askModel(model.access, "anthropic", asked);
		expect(fourth).to.include({ status: 429, retryAfter: "1" });
		leaving.abort();
		await Promise.all(stalled);
		await eventually(() => model.metered.length === 3);
	});

	it("reads from the provider only as fast as the caller reads", async () => {
		let written = 0;
		await using flood = await listen((request, response) => {
			request.resume();
			response.writeHead(200, { "content-type": "text/event-stream" });
			const event = Buffer.from(`data: {"x":"${"x".repeat(65_536)}"}\n\n`);
			const write = (): void => {
				if (written > 200_000_000) return;
				written += event.length;
				if (response.write(event)) setImmediate(write);
				else response.once("drain", write);
			};
			write();
		});
		await using model = await ProxiedModel.open(hello, accessTo(flood.url));
		const { port } = new URL(model.proxy.url("anthropic") ?? "");
		const socket = connect(Number(port), "127.0.0.1");
		const body = '{"model":"m"}';
		socket.write(
			`POST /anthropic/v1/messages HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-api-key: ${model.proxy.token}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
		);
		socket.pause();
		let last = -1;
		await eventually(
			() => {
				const isStill = written > 0 && written === last;
				last = written;
				return isStill;
			},
			{ everyMs: 200 },
		);
		// The buffers of the kernel for four ends of two connections.
		expect(written).to.be.below(30_000_000);
		console.log(`      a caller that reads nothing: ${(written / 1e6).toFixed(1)} MB left the provider`);
		socket.destroy();
		expect((await eventually(() => model.metered[0])).end).to.equal("left");
	});

	it("does not repeat a call that the provider may have received before it closed the connection (L10)", async () => {
		let connections = 0;
		let requests = 0;
		await using server = await listen((request, response) => {
			requests++;
			// The second and the fourth call find the connection closed when they arrive.
			if (requests % 2 === 0) return void request.socket.resetAndDestroy();
			request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
		});
		server.server.on("connection", () => connections++);
		// The server closes no connection by itself before the next call.
		server.server.keepAliveTimeout = 0;
		await using model = await ProxiedModel.open(hello, accessTo(server.url));
		const answers = [];
		for (let call = 0; call < 3; call++) answers.push(await askModel(model.access, "anthropic", asked));
		expect(answers.map(({ status }) => status)).to.deep.equal([200, 502, 200]);
		expect(answers[1]?.raw).to.contain("may have received the call; it is not repeated");
		expect([requests, connections]).to.deep.equal([3, 2]);
		expect(model.metered).to.have.lengthOf(3);
		const counting = await call(`${model.access.endpoints.anthropic}/v1/messages/count_tokens`, {
			headers: { "x-api-key": model.access.key },
		});
		expect([counting.status, requests], "to count costs nothing").to.deep.equal([200, 5]);
	});

	it("interrupts and reports the calls under way at its end, and leaves no connection", async () => {
		const model = await ProxiedModel.open(() => ({ text: "hello", fault: { kind: "stall", after: 2 } }));
		const url = model.proxy.url("anthropic") ?? "";
		let heard = "";
		const onText = (raw: string): void => void (heard = raw);
		const asking = askModel(model.access, "anthropic", { ...asked, isStreaming: true, onText });
		await eventually(() => heard !== "" && model.server.billed.calls[0]?.counts.input);
		await model.proxy.close();
		expect((await asking).isBroken).to.equal(true);
		expect(model.metered).to.have.lengthOf(1);
		const refused = await fetch(url).then(
			() => "answered",
			(error: Error) => jsonOf(error.cause)["code"],
		);
		expect(refused).to.equal("ECONNREFUSED");
		await eventually(async () => (await model.server.connections()) === 0);
		await model.server[Symbol.asyncDispose]();
	});
});

function call(url: string, init: RequestInit): Promise<Response> {
	return fetch(url, { method: "POST", body: '{"contents":[]}', ...init });
}

/** The path is sent as written; no client normalises it. */
async function status(port: string, method: string, path: string, headers: Record<string, string>): Promise<number> {
	const request = httpRequest({ port, host: "127.0.0.1", method, path, headers: { ...headers }, agent: false });
	request.end(method === "POST" ? '{"model":"m"}' : undefined);
	const [response] = (await once(request, "response")) as [{ statusCode: number; resume(): void }];
	response.resume();
	return response.statusCode;
}

/** A provider of the Anthropic wire other than the scripted one. */
function accessTo(
	url: string,
	key = "sk-canary-for-another-provider",
): Partial<Pick<ModelCallsDependencies, "access">> {
	const access = {
		provider: "other",
		location: "cloud",
		model: "m",
		endpoints: { anthropic: url, gemini: url },
		key,
		context_window: 1_000,
	} as const;
	return { access };
}

async function listen(listener: RequestListener): Promise<AsyncDisposable & { url: string; server: Server }> {
	const server = createServer(listener);
	await listenOnLoopback(server);
	return {
		server,
		url: loopbackUrl(server),
		async [Symbol.asyncDispose]() {
			await closeAtOnce(server);
		},
	};
}
