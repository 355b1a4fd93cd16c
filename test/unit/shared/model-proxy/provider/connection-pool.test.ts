import { expect } from "chai";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { ConnectionPool, type PooledRequest, Unanswered } from "#shared/model-proxy/provider/connection-pool.ts";
import { makeCertificate } from "../../../../support/bus/test-certificates.ts";

async function listening(server: Server): Promise<number> {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return (server.address() as AddressInfo).port;
}

describe("ConnectionPool with a proxy", () => {
	const trusted = getCACertificates("default");
	let folder = "";
	let provider: Server;
	let proxy: Server;
	let origin = "";
	let proxyUrl = "";
	/** The servers for which the proxy was asked. */
	let asked: string[] = [];
	/** Whether the proxy lets connections through. */
	let isOpen = true;
	/** The time until the server answers, in milliseconds. */
	let thinkingMs = 0;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-pool-"));
		const { key, cert } = makeCertificate(folder, "provider");
		const secure = { key: readFileSync(key), cert: readFileSync(cert) };
		setDefaultCACertificates([...trusted, readFileSync(cert, "utf8")]);
		const answer = async (request: IncomingMessage) => {
			const body = await text(request);
			await sleep(thinkingMs);
			return `${request.method} ${body}`;
		};
		provider = createSecureServer(
			secure,
			(request, response) => void answer(request).then((body) => response.end(body)),
		);
		proxy = createServer().on("connect", ({ url = "" }: IncomingMessage, socket) => {
			asked.push(url);
			if (!isOpen) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
			const { port, hostname } = new URL(`http://${url}`);
			const onward = connect(Number(port), hostname, () => {
				socket.write("HTTP/1.1 200 OK\r\n\r\n");
				onward.pipe(socket).pipe(onward);
			});
			for (const one of [onward, socket]) one.on("error", () => [onward, socket].forEach((each) => each.destroy()));
		});
		origin = `https://127.0.0.1:${await listening(provider)}`;
		proxyUrl = `http://127.0.0.1:${await listening(proxy)}`;
	});
	beforeEach(() => {
		asked = [];
		isOpen = true;
		thinkingMs = 0;
	});
	after(() => {
		setDefaultCACertificates(trusted);
		for (const server of [provider, proxy]) server.close();
		rmSync(folder, { recursive: true });
	});

	function request(url: string): PooledRequest {
		const signal = AbortSignal.timeout(10_000);
		return { url, method: "POST", headers: {}, body: "question", isRepeatable: false, signal };
	}

	async function answers(pool: ConnectionPool, count: number): Promise<string[]> {
		const found: string[] = [];
		for (let sent = 0; sent < count; sent++) found.push(await text(await pool.send(request(origin))));
		pool.close();
		return found;
	}

	it("reaches a server through it by one connection, which counts as open while the server thinks", async () => {
		thinkingMs = 150;
		const pool = new ConnectionPool(2, 10_000, 50, { HTTPS_PROXY: proxyUrl });
		expect(await answers(pool, 3)).to.deep.equal(["POST question", "POST question", "POST question"]);
		expect(asked).to.deep.equal([new URL(origin).host]);
	});

	it("reaches the exceptions, and all servers without a proxy, directly", async () => {
		const exceptions = { HTTPS_PROXY: proxyUrl, NO_PROXY: "127.0.0.1" };
		expect(await answers(new ConnectionPool(2, 10_000, 1_000, exceptions), 1)).to.deep.equal(["POST question"]);
		expect(await answers(new ConnectionPool(2, 10_000, 1_000), 1)).to.deep.equal(["POST question"]);
		expect(asked).to.deep.equal([]);
	});

	it("says of a proxy that refuses that the server has received nothing", async () => {
		isOpen = false;
		const pool = new ConnectionPool(2, 10_000, 1_000, { HTTPS_PROXY: proxyUrl });
		const failure: unknown = await pool.send(request(origin)).catch((error: unknown) => error);
		pool.close();
		expect(failure).to.be.instanceOf(Unanswered).and.include({ mayBeReceived: false, isStale: false });
	});
});
