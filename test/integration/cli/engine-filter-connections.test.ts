/** The connections of the filter before a container engine's socket, with requests that are not what a client would send. */
import { expect } from "chai";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineFilter } from "../../../cli/engine-filter/filter-server.ts";
import { eventually } from "../../support/eventually.ts";

const info = "GET /v1.41/info HTTP/1.1\r\nHost: a\r\n";
const create =
	"POST /v1.41/containers/create?name=session-3f0c2a11-0000-4000-8000-000000000001-g1 HTTP/1.1\r\nHost: a\r\n";
const requestMs = 500;
const idleMs = 500;

describe("engine-filter: connections", () => {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "atelier-filter-")));
	let engine: Server;
	let filter: EngineFilter;
	let reached: string[];
	let isSilent: boolean;
	/** Lets the engine answer what it holds back. */
	let release: () => void;

	beforeEach(async () => {
		reached = [];
		isSilent = false;
		release = () => {};
		engine = createServer((request, response) => {
			reached.push(`${request.method} ${request.url}`);
			release = () => void response.end("{}");
			if (!isSilent) release();
		});
		engine.listen(join(root, "engine.sock"));
		await once(engine, "listening");
		const platform = { installation: "i", images: ["a"], owner: 1, dataDir: root, maxMemory: 1 };
		filter = new EngineFilter({ engine: join(root, "engine.sock"), platform, requestMs, idleMs, endMs: 3_000 });
		filter.server.listen(join(root, "filter.sock"));
		await once(filter.server, "listening");
	});
	afterEach(async () => {
		engine.closeAllConnections();
		filter.server.closeAllConnections();
		await filter.close();
		engine.close();
	});
	after(() => rmSync(root, { recursive: true }));

	function open(): Socket {
		return connect(join(root, "filter.sock")).on("error", () => {});
	}

	/** Sends the bytes and resolves to all that comes back until the connection ends. */
	async function answerTo(sent: string): Promise<string> {
		const socket = open();
		let answer = "";
		socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
		const closed = new Promise((resolve) => socket.once("close", resolve));
		socket.write(sent);
		await closed;
		return answer;
	}

	const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

	it("answers one request, and none that was sent behind it", async () => {
		const answer = await answerTo(`${info}\r\n${info}\r\n${info}\r\n`);
		expect(statuses(answer)[0]).to.equal("200");
		expect(statuses(answer).slice(1)).to.not.include("200");
		expect(reached).to.deep.equal(["GET /v1.41/info"]);
	});

	for (const [what, sent, status] of [
		["another protocol", `${info}Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n`, "403"],
		["a body in chunks", `${create}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, "403"],
		["a packed body", `${create}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`, "403"],
		["two lengths", `${create}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, "400"],
		["a length beside chunks", `${create}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, "400"],
		["a body that is too large", `${create}Content-Length: 300000\r\n\r\n`, "413"],
		["a request that asks first", `${create}Expect: 200-ok\r\nContent-Length: 2\r\n\r\n{}`, "417"],
		["an older form of HTTP", "GET /v1.41/info HTTP/1.0\r\n\r\n", "403"],
		["a whole address", "GET http://a/v1.41/info HTTP/1.1\r\nHost: a\r\n\r\n", "403"],
		["headers without end", `${info}X: ${"x".repeat(100_000)}\r\n\r\n`, "431"],
	] as const)
		it(`refuses ${what}`, async () => {
			expect(statuses(await answerTo(sent))).to.deep.equal([status]);
			expect(reached).to.deep.equal([]);
		});

	it("opens no tunnel", async () => {
		expect(statuses(await answerTo("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"))).to.not.include("200");
		expect(reached).to.deep.equal([]);
	});

	for (const [what, sent] of [
		["nothing", ""],
		["half of the headers", "GET /v1.41/in"],
		["half of a body", `${create}Content-Length: 100\r\n\r\n{`],
	] as const)
		it(`ends a connection that sends ${what}, and goes on for others`, async () => {
			expect(statuses(await answerTo(sent))).to.not.include("200");
			expect(reached).to.deep.equal([]);
			expect(statuses(await answerTo(`${info}\r\n`))).to.deep.equal(["200"]);
		});

	it("ends a call whose answer does not come", async () => {
		isSilent = true;
		await answerTo(`${info}\r\n`);
		expect(reached).to.have.length(1);
	});

	it("lets a call end that is being answered when the filter ends, and no event", async () => {
		isSilent = true;
		const filters = encodeURIComponent(JSON.stringify({ label: ["atelier.installation=i"] }));
		const events = answerTo(`GET /v1.41/events?filters=${filters} HTTP/1.1\r\nHost: a\r\n\r\n`);
		await eventually(() => reached.length === 1, { withinMs: 3_000, what: "the events are followed" });
		const answer = answerTo(`${info}\r\n`);
		await eventually(() => reached.length === 2, { withinMs: 3_000, what: "the call is at the engine" });
		const closed = filter.close();
		expect(statuses(await events)).to.not.include("200");
		release();
		expect(statuses(await answer)).to.deep.equal(["200"]);
		await closed;
	});
});
