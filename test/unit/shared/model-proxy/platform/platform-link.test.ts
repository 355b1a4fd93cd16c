import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect } from "chai";
import { PlatformLink, type PlatformRequest } from "#shared/model-proxy/platform/platform-link.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { makeCertificate } from "../../../../support/bus/test-certificates.ts";
import { eventually } from "../../../../support/eventually.ts";
import { closeAtOnce, listenOnLoopback } from "../../../../support/machine/loopback-server.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

describe("PlatformLink", () => {
	let server: Server;
	let link: PlatformLink;
	/** The connections that were opened, and those that are still open. */
	let opened: number;
	let open: number;
	/** The requests. */
	let asked: string[];
	let answer: Answer;

	beforeEach(async () => {
		[opened, open, asked] = [0, 0, []];
		answer = (_request, response) => response.writeHead(204).end();
		server = createServer({ keepAliveTimeout: 0 });
		await listen(server, "http");
	});

	afterEach(async () => {
		link.close();
		await closed(server);
	});

	async function listen(listening: Server, protocol: string): Promise<void> {
		listening.on("connection", (socket) => {
			opened++;
			open++;
			socket.on("close", () => open--);
		});
		listening.on("request", (request, response) => {
			asked.push(`${request.method} ${request.url}`);
			void answer(request, response);
		});
		await listenOnLoopback(listening);
		const { port } = listening.address() as AddressInfo;
		// The launch has only the members that the link reads.
		const platform_url = `${protocol}://127.0.0.1:${port}/api/v1/svc/`;
		link = new PlatformLink({ platform_url, session_id: "s", pod_token: "t" } as LaunchDocument);
	}

	function post(changes: Partial<PlatformRequest> = {}): ReturnType<PlatformLink["send"]> {
		const { signal } = new AbortController();
		return link.send({ method: "POST", path: "/usage", body: { n: 1 }, withinMs: 5_000, signal, ...changes });
	}

	it("sends JSON with the token of the pod, and returns the status and the text of the answer", async () => {
		const seen: unknown[] = [];
		answer = async (request, response) => {
			const { authorization, ...headers } = request.headers;
			seen.push(authorization, headers["content-type"], Buffer.concat(await request.toArray()).toString());
			response.writeHead(422).end("what is wrong: ü");
		};
		expect(await post({ body: { text: "ü" } })).to.deep.equal({ status: 422, text: "what is wrong: ü" });
		expect(seen).to.deep.equal(["Bearer t", "application/json", '{"text":"ü"}']);
		const { signal } = new AbortController();
		await link.send({ method: "DELETE", path: "/reservations/r", withinMs: 5_000, signal });
		expect(seen.slice(3)).to.deep.equal(["Bearer t", undefined, ""]);
		expect(asked).to.deep.equal(["POST /api/v1/svc/sessions/s/usage", "DELETE /api/v1/svc/sessions/s/reservations/r"]);
	});

	it("sends one request after the other over one connection, and closes it before the platform would", async () => {
		for (let n = 0; n < 20; n++) expect((await post())?.status).to.equal(204);
		expect(opened).to.equal(1);
		const since = performance.now();
		await eventually(() => open === 0);
		expect(performance.now() - since, "the platform keeps it 5 s").to.be.within(3_000, 4_900);
	});

	it("repeats a request once over a new connection if the platform had closed the idle ones", async () => {
		const kept = new WeakSet();
		const waiting: ServerResponse[] = [];
		// All requests are sent at the same time, so each has a connection.
		answer = ({ socket }, response) => {
			kept.add(socket);
			waiting.push(response);
			if (waiting.length === 3) for (const one of waiting) one.writeHead(204).end();
		};
		await Promise.all([post(), post(), post()]);
		expect([opened, open]).to.deep.equal([3, 3]);
		answer = ({ socket }, response) => {
			if (kept.has(socket)) socket.resetAndDestroy();
			else response.writeHead(204).end();
		};
		const before = asked.length;
		expect((await post())?.status).to.equal(204);
		expect(asked.length - before).to.equal(2);
		expect(opened).to.equal(4);
	});

	it("does not repeat a request that failed on a new connection", async () => {
		answer = ({ socket }) => socket.destroy();
		expect(await post()).to.equal(undefined);
		expect(asked).to.have.length(1);
	});

	it("follows no redirect, and treats it as no answer", async () => {
		answer = (_request, response) => response.writeHead(307, { location: "/elsewhere" }).end();
		expect(await post()).to.equal(undefined);
		expect(asked).to.deep.equal(["POST /api/v1/svc/sessions/s/usage"]);
	});

	it("reads a bounded part of an answer, and returns its status", async () => {
		answer = (_request, response) => response.writeHead(403).end("x".repeat(1_000_000));
		expect(await post()).to.deep.equal({ status: 403, text: undefined });
		await eventually(() => open === 0, { what: "the rest is not waited for" });
	});

	it("aborts at its time limit, also in the middle of an answer", async () => {
		answer = () => {};
		expect(await post({ withinMs: 100 })).to.equal(undefined);
		answer = (_request, response) => response.writeHead(200).write("{");
		expect(await post({ withinMs: 100 })).to.deep.equal({ status: 200, text: undefined });
		await eventually(() => open === 0);
	});

	it("aborts with its signal, and leaves no connection when it is closed", async () => {
		await Promise.all([post(), post()]);
		answer = () => {};
		const ending = new AbortController();
		const posting = post({ signal: ending.signal, withinMs: 60_000 });
		await eventually(() => asked.length === 3);
		ending.abort();
		expect(await posting).to.equal(undefined);
		expect(asked).to.have.length(3);
		await eventually(() => open === 1, { what: "the other one is kept" });
		link.close();
		await eventually(() => open === 0, { withinMs: 1_000 });
	});

	it("has no answer from a platform that is down, or at an invalid address", async () => {
		await closed(server);
		expect(await post()).to.equal(undefined);
		link = new PlatformLink({ platform_url: "nowhere", session_id: "s", pod_token: "t" } as LaunchDocument);
		expect(await post()).to.equal(undefined);
	});

	it("trusts a platform behind TLS only when its certificate is known", async () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-certificate-"));
		const known = getCACertificates("default");
		const files = makeCertificate(folder, "platform");
		const made = { key: readFileSync(files.key, "utf8"), cert: readFileSync(files.cert, "utf8") };
		const secure = createSecureServer(made);
		try {
			await listen(secure, "https");
			expect(await post()).to.equal(undefined);
			setDefaultCACertificates([...known, made.cert]);
			for (let n = 0; n < 3; n++) expect((await post())?.status).to.equal(204);
			expect([asked.length, opened]).to.deep.equal([3, 2]);
		} finally {
			setDefaultCACertificates(known);
			await closed(secure);
			rmSync(folder, { recursive: true });
		}
	});
});

async function closed(server: Server): Promise<void> {
	if (!server.listening) return;
	await closeAtOnce(server);
}
