/** Requests and answers of the way out of a session that no program sends which means well: none of them ends the proxy's process. */
import { expect } from "chai";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, BlockList, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { EgressProxy } from "#shared/net/egress/egress-proxy.ts";
import type { EgressRules } from "#shared/net/egress/egress-rules.ts";

describe("messages through the egress proxy of a session", () => {
	const folder = mkdtempSync(join(tmpdir(), "atelier-egress-"));
	const socketPath = join(folder, "egress.sock");
	const rules: EgressRules = { profile: "default", allowed: [], internal: [{ host: "git.company.example" }] };
	let ports: readonly number[] = [];
	let proxy: EgressProxy;

	before(async () => {
		const known = async () => ["127.0.0.1"];
		proxy = new EgressProxy({
			rules: () => [{ ...rules, ports }],
			refused: new BlockList(),
			onRefused() {},
			resolve: { public: known, known },
			addressRefusal: () => undefined,
		});
		await proxy.listen(socketPath);
	});
	after(() => {
		proxy.close();
		rmSync(folder, { recursive: true });
	});

	/** Resolves to all that a client gets for a request, of which `URL` stands for the target, from a server that gives this answer to anything. */
	async function exchange(asked: string, answer: string): Promise<{ got: string; sent: string }> {
		let sent = "";
		const server = createServer((socket) => {
			socket.on("error", () => {});
			socket.on("data", (part) => (sent += String(part)));
			socket.once("data", () => (answer === "" ? socket.resetAndDestroy() : socket.end(answer)));
		});
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		const { port: at } = server.address() as AddressInfo;
		ports = [at];
		const client = connect(socketPath);
		client.write(asked.replace("URL", `http://git.company.example:${at}/`));
		const got = await text(client);
		server.close();
		return { got, sent };
	}
	const asks = (...headers: string[]) =>
		["GET URL HTTP/1.1", "Host: x", "Connection: close", ...headers, "", ""].join("\r\n");
	const posts = (...headers: string[]) => asks(...headers).replace("GET", "POST");
	const good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

	const untoward: Record<string, [asked: string, answer: string, status: string]> = {
		"a request with trailers that it does not have": [asks("Trailer: x"), good, "200"],
		"a request with a body and trailers that it does not have": [
			`${posts("Trailer: x", "Content-Length: 1")}y`,
			good,
			"200",
		],
		"a request that waits for leave, with trailers": [
			`${posts("Expect: 100-continue", "Trailer: x", "Content-Length: 1")}y`,
			good,
			"100",
		],
		"a request that is to be upgraded": [asks("Upgrade: other", "Connection: upgrade"), good, "200"],
		"an answer with a status that there is not": [asks(), "HTTP/1.1 099 X\r\n\r\n", "502"],
		"an answer with trailers that it does not have": [
			asks(),
			"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTrailer: x\r\n\r\n",
			"200",
		],
		"an answer that changes the protocol": [
			asks(),
			"HTTP/1.1 101 Other\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n",
			"502",
		],
		"an answer that is none": [asks(), "nonsense", "502"],
		"a connection that ends without an answer": [asks(), "", "502"],
	};
	for (const [what, [asked, answer, status]] of Object.entries(untoward))
		it(`outlives ${what}`, async () => {
			const { got } = await exchange(asked, answer);
			expect(got).to.match(new RegExp(`^HTTP/1.1 ${status} `));
			expect((await exchange(asks(), good)).got).to.match(/^HTTP\/1.1 200 OK\r\n.*\r\n\r\nok$/s);
		});

	it("keeps what belongs to one connection, and frames a body as it came", async () => {
		const own = [
			"Connection: x-own",
			"X-Own: 1",
			"Keep-Alive: timeout=5",
			"TE: trailers",
			"Proxy-Authorization: secret",
			"X-Ends: 2",
		];
		const { sent } = await exchange(asks(...own), good);
		expect(sent).to.match(/^GET \/ HTTP\/1.1\r\n/);
		expect(sent.toLowerCase())
			.to.include("x-ends: 2")
			.and.not.match(/x-own|keep-alive|\bte:|secret|transfer-encoding|content-length/);
		expect((await exchange(posts(), good)).sent)
			.to.match(/content-length: 0\r\n/i)
			.and.not.match(/transfer-encoding/i);
		expect((await exchange(`${posts("Content-Length: 3")}abc`, good)).sent).to.match(
			/content-length: 3\r\n.*\r\n\r\nabc$/is,
		);
		const chunked = await exchange(`${posts("Transfer-Encoding: chunked")}3\r\nabc\r\n0\r\n\r\n`, good);
		expect(chunked.sent).to.match(/transfer-encoding: chunked\r\n.*3\r\nabc\r\n0\r\n\r\n$/is);
	});
});
