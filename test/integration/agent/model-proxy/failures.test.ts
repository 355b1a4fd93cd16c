/** The reports of the proxy on failed calls: the provider, its address, and the reason in its own words. */
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { expect } from "chai";
import type { ModelCallsDependencies } from "#shared/model-proxy/model-calls.ts";
import type { WatchedCall } from "#shared/model-proxy/provider/watched-call.ts";
import { type ModelWire, modelWires } from "#shared/wire/models/model-wire.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";
import { eventually } from "../../../support/eventually.ts";
import { askModel, type Asked, userMessage } from "../../../support/model-server/simple-caller.ts";
import { ProxiedModel } from "../../../support/agents/open-proxy.ts";
import { listenOnLoopback, loopbackUrl } from "../../../support/machine/loopback-server.ts";

type Told = "answering" | "left" | "well" | { failed: string } | { refused: string };

/** The address of a provider other than the scripted one. */
const key = "sk-canary-for-another-provider";

/** An event in a stream that began well. */
const failuresWithin: Record<ModelWire, object> = {
	"openai-chat": { error: { message: `Overloaded, ${key}`, code: 529 } },
	"openai-responses": { type: "response.failed", response: { error: { code: "x", message: `Overloaded, ${key}` } } },
	anthropic: { type: "error", error: { type: "overloaded_error", message: `Overloaded, ${key}` } },
	gemini: { error: { code: 503, message: `Overloaded, ${key}`, status: "UNAVAILABLE" } },
};

describe("model proxy: failures", () => {
	/** The observations by call. */
	let calls: Told[][] = [];
	let disposing: AsyncDisposableStack;
	beforeEach(() => {
		calls = [];
		disposing = new AsyncDisposableStack();
	});
	afterEach(() => disposing.disposeAsync());

	function watchCall(): WatchedCall {
		const told: Told[] = [];
		calls.push(told);
		return {
			answering: () => void told.push("answering"),
			left: () => void told.push("left"),
			refused: (refused) => void told.push({ refused }),
			over: (failed) => void told.push(failed === undefined ? "well" : { failed }),
		};
	}

	/** Returns the outcome of the last call; the first report of its end counts. */
	function outcome(): Told | undefined {
		return calls.at(-1)?.find((one) => one !== "answering");
	}

	async function open(options: Partial<ModelCallsDependencies> = {}): Promise<ProxiedModel> {
		return disposing.use(await ProxiedModel.open(() => ({ text: "hello" }), { watchCall, ...options }));
	}

	/** Resolves with the report on a call of a provider with this answer. */
	async function failureOf(listener: RequestListener, asked: Partial<Asked> = {}, wire: ModelWire = "anthropic") {
		const url = await listen(listener);
		const model = await open(accessTo(url));
		const { status } = await askModel(model.access, wire, { ...userMessage("hi"), ...asked });
		return { status, url, outcome: outcome() };
	}

	async function listen(listener: RequestListener): Promise<string> {
		const server = createServer(listener);
		await listenOnLoopback(server);
		disposing.defer(() => server.close().closeAllConnections());
		return loopbackUrl(server);
	}

	for (const wire of modelWires) {
		it(`reports the provider's own words before the caller sees them, and the next success (${wire})`, async () => {
			const model = await open();
			model.server.failNext({ kind: "status", status: 529, message: "the stub is overloaded" });
			const { status } = await askModel(model.access, wire, userMessage("hi"));
			const { origin } = new URL(model.server.endpoints[wire]);
			expect(status).to.equal(529);
			expect(calls).to.deep.equal([
				[{ failed: `Provider "scripted" at ${origin} answered 529: the stub is overloaded` }],
			]);
			await askModel(model.access, wire, userMessage("hi"));
			expect(calls[1]).to.deep.equal(["answering", "well"]);
		});

		it(`detects a failure in the middle of an answer that began well (${wire})`, async () => {
			const stream: RequestListener = (_, response) => {
				response.writeHead(200, { "content-type": "text/event-stream" });
				response.end(`data: {"usage":null,"error":null}\n\ndata: ${JSON.stringify(failuresWithin[wire])}\n\n`);
			};
			const { url, outcome: first } = await failureOf(stream, { isStreaming: true }, wire);
			expect(first).to.deep.equal({
				failed: `Provider "other" at ${url} answered with an error: Overloaded, ***`,
			});
			const whole: RequestListener = (_, response) => {
				response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(failuresWithin[wire]));
			};
			expect((await failureOf(whole, {}, wire)).outcome)
				.to.have.property("failed")
				.that.includes("Overloaded, ***");
		});
	}

	it("never reveals a part of the key, and survives extremely nested or long answers", async () => {
		const failures = [
			JSON.stringify({ error: { message: `${"x".repeat(490)}${key}` } }),
			JSON.stringify({ error: { message: "y".repeat(8_000_000) } }),
			`${'{"error":'.repeat(20_000)}"deep"${"}".repeat(20_000)}`,
		];
		for (const failure of failures) {
			const stream: RequestListener = (_, response) => {
				response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${failure}\n\n`);
			};
			const { outcome: end } = await failureOf(stream, { isStreaming: true });
			expect(end).to.have.property("failed").that.includes("answered with an error");
			expect(JSON.stringify(end)).to.not.include(key.slice(0, 4));
			expect(jsonBytes(end)).to.be.below(700);
		}
	});

	it("repeats no key that the provider has escaped, neither to the caller nor in its sentence", async () => {
		const escaped = key.replaceAll(/./g, (letter) => `\\u00${Buffer.from(letter).toString("hex")}`);
		const bodies = [
			`{"error":{"message":"Wrong key ${escaped}"}}`,
			`{"error":{"message":"${"x".repeat(480)} ${escaped}"}}`,
			`{"error":{"message":"Wrong key","${escaped}":1}}`,
		];
		for (const body of bodies) {
			const model = await open(accessTo(await listen((_, response) => response.writeHead(401).end(body))));
			const answer = await fetch(`${model.access.endpoints.anthropic}/v1/messages`, {
				method: "POST",
				headers: { "x-api-key": model.access.key },
				body: JSON.stringify({ model: "m", messages: [] }),
			});
			expect(answer.status).to.equal(401);
			expect(JSON.stringify(await answer.json()))
				.to.include("***")
				.and.not.include(key);
			expect(JSON.stringify(outcome())).to.not.include(key.slice(0, 4));
		}
	});

	it("makes one bounded line of the provider's answer, without its key", async () => {
		const bodies: [string, string][] = [
			[JSON.stringify([{ error: { message: "in a list" } }]), ": in a list"],
			[JSON.stringify({ error: "as text" }), ": as text"],
			[JSON.stringify({ detail: "two\n\nlines\u0000" }), ": two lines"],
			["<html><head><title>502 Bad Gateway</title></head></html>", ": 502 Bad Gateway"],
			[JSON.stringify({ error: { message: `Wrong key ${key}` } }), ": Wrong key ***"],
			["", ""],
			["{}", ": {}"],
		];
		for (const [body, words] of bodies) {
			const { url, outcome: end } = await failureOf((_, response) => response.writeHead(500).end(body));
			expect(end).to.deep.equal({ failed: `Provider "other" at ${url} answered 500${words}` });
		}
		const long = JSON.stringify({ error: { message: '\u{1f600}\u0001"'.repeat(10_000) } });
		const { outcome: end } = await failureOf((_, response) => response.writeHead(500).end(long));
		expect(jsonBytes(end)).to.be.within(400, 700);
		const encoding = { "content-encoding": "x".repeat(5_000) };
		const strange = await failureOf((_, response) => response.writeHead(200, encoding).end("x"));
		expect(jsonBytes(strange.outcome)).to.be.within(900, 1_100);
	});

	it("names a provider that cannot be reached, is late, redirects, breaks off, or says nothing", async () => {
		const bodies: [string, RequestListener, Partial<Asked>?][] = [
			["redirects, which is not followed", (_, response) => response.writeHead(307, { location: "/" }).end()],
			["did not answer within 0.2 s", () => {}],
			[
				'encodes its answer as "lzw", which is not known',
				(_, response) => response.writeHead(200, { "content-encoding": "lzw" }).end("x"),
			],
			["answered with nothing", (_, response) => response.writeHead(200).end()],
			[
				"broke off its answer",
				(_, response) => void response.writeHead(200).write("data: {}\n\n", () => response.destroy()),
				{ isStreaming: true },
			],
			[
				"answered 500 and broke off its error",
				(_, response) => void response.writeHead(500).write("{", () => response.destroy()),
			],
			[
				"answered 500 with an error that is too long",
				(_, response) => response.writeHead(500).end("x".repeat(300_000)),
			],
		];
		for (const [what, listener, asked] of bodies) {
			const url = await listen(listener);
			const model = await open({ ...accessTo(url), limits: { firstByteMs: 200 } });
			await askModel(model.access, "anthropic", { ...userMessage("hi"), ...asked });
			expect(outcome(), what).to.deep.equal({ failed: `Provider "other" at ${url} ${what}` });
		}
	});

	it("abandons a connection that does not open soon", async () => {
		// The server accepts connections and is silent, so no connection with TLS opens.
		const mute = createTcpServer((socket) => void socket.on("error", () => {}).resume());
		await listenOnLoopback(mute);
		disposing.defer(() => void mute.close());
		const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
		const model = await open({ ...accessTo(url), limits: { connectMs: 200 } });
		const { status } = await askModel(model.access, "anthropic", userMessage("hi"));
		expect(status).to.equal(502);
		expect(outcome()).to.deep.equal({ failed: `Provider "other" at ${url} cannot be reached: ETIMEDOUT` });
	});

	it("does not treat a budget's refusal as a failure of the model", async () => {
		const model = await open({ admit: () => Promise.resolve("The budget is used up") });
		expect((await askModel(model.access, "anthropic", userMessage("hi"))).status).to.equal(402);
		expect(outcome()).to.deep.equal({ refused: "The budget is used up" });
	});

	it("treats a caller that leaves as answered only when it has received a part", async () => {
		const leaving = [new AbortController(), new AbortController()] as const;
		const leave = (which: 0 | 1) => (): void => leaving[which].abort();
		const asked = { ...userMessage("hi"), isStreaming: true };
		const silent = await open(accessTo(await listen(() => {})));
		const asking = askModel(silent.access, "anthropic", { ...asked, signal: leaving[0].signal }).catch(() => {});
		await eventually(() => calls.length === 1);
		leave(0)();
		await asking;
		expect(await eventually(outcome)).to.equal("left");
		const talking = await open(accessTo(await listen((_, response) => response.writeHead(200).write("data: {}\n\n"))));
		const hearing = { ...asked, signal: leaving[1].signal, onText: leave(1) };
		await askModel(talking.access, "anthropic", hearing).catch(() => {});
		await eventually(() => calls.length === 2 && outcome());
		expect(outcome()).to.equal("well");
	});
});

/** A provider of all wires other than the scripted one. */
function accessTo(url: string) {
	const endpoints = Object.fromEntries(modelWires.map((wire) => [wire, url]));
	return {
		access: { provider: "other", location: "cloud", model: "m", endpoints, key, context_window: 1_000 },
	} as const;
}
