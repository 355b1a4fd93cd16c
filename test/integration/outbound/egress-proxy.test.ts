/** The way out of a session without a network: an HTTP proxy on a Unix socket, with real connections on loopback. */
import { expect } from "chai";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, BlockList, connect, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { addressRefusal } from "#shared/net/egress/egress-addresses.ts";
import type { EgressDependencies } from "#shared/net/egress/egress-connections.ts";
import { EgressProxy } from "#shared/net/egress/egress-proxy.ts";
import type { EgressRules } from "#shared/net/egress/egress-rules.ts";
import { loopbackDial } from "../../support/clients/loopback-dial.ts";
import { tunnelTo as askForTunnel } from "../../support/clients/proxy-tunnel.ts";

/** The servers of these tests are on loopback, which no name of an operator leads to otherwise. */
const loopbackToo: typeof addressRefusal = (address, networks, refused) =>
	networks === "known" && ["127.0.0.1", "127.0.0.2"].includes(address)
		? undefined
		: addressRefusal(address, networks, refused);

describe("the egress proxy of a session", () => {
	const folder = mkdtempSync(join(tmpdir(), "atelier-egress-"));
	const socketPath = join(folder, "egress.sock");
	const refused: string[] = [];
	const resolved: string[] = [];
	/** The addresses of other machines to which it would have connected. */
	const dialled: string[] = [];
	/** The addresses of names, as name servers would say them. */
	const names: Record<string, string[]> = {
		"git.company.example": ["127.0.0.1"],
		"rebound.example": ["127.0.0.1"],
		"metadata.example": ["169.254.169.254"],
		"mixed.example": ["93.184.216.34", "10.0.0.1"],
	};
	let target: Server;
	let proxy: EgressProxy;
	let port = 0;
	let rules: EgressRules;

	before(async () => {
		target = createServer((request, response) => {
			response.setHeader("x-host", request.headers.host ?? "");
			response.end(`${request.method} ${request.url} ${request.headers["proxy-authorization"] ?? "no secret"}`);
		});
		target.listen(0, "127.0.0.1");
		await once(target, "listening");
		port = (target.address() as AddressInfo).port;
		const known = async (host: string) => {
			resolved.push(host);
			return names[host] ?? [];
		};
		proxy = new EgressProxy({
			rules: () => [rules],
			refused: new BlockList(),
			dial: loopbackDial(dialled),
			onRefused: (destination, { words }) => void refused.push(`${destination}: ${words}`),
			resolve: { public: known, known },
			addressRefusal: loopbackToo,
		});
		await proxy.listen(socketPath);
	});
	afterEach(() => expect(dialled).to.deep.equal([]));
	after(() => {
		target.close();
		target.closeAllConnections();
		proxy.close();
		rmSync(folder, { recursive: true });
	});
	beforeEach(() => {
		rules = { profile: "default", allowed: [], internal: [{ host: "git.company.example" }], ports: [port] };
		refused.length = 0;
		resolved.length = 0;
	});

	/** Resolves to the bytes that a client gets of an answer when it begins to read after the server has closed the connection. */
	async function readLate(bytes: number): Promise<number> {
		const server = createTcpServer((socket) => void socket.end(Buffer.alloc(bytes, "x")));
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		const { port: slow } = server.address() as AddressInfo;
		rules = { ...rules, ports: [...(rules.ports ?? []), slow] };
		const client = connect(socketPath);
		client.write(`CONNECT git.company.example:${slow} HTTP/1.1\r\nHost: git\r\n\r\n`);
		await sleep(400);
		const received = await text(client);
		server.close();
		return received.length - received.indexOf("\r\n\r\n") - 4;
	}

	it("keeps the end of an answer for a client that reads slowly", async () => {
		// The kernel holds more or less of an answer; the rest is held by the proxy, and would be lost if it did not wait.
		const sizes = Array.from({ length: 12 }, (_, index) => 200_000 + index * 20_000);
		expect(await Promise.all(sizes.map(readLate))).to.deep.equal(sizes);
	});

	const tunnelTo = (authority: string, at = socketPath) => askForTunnel(at, authority);

	async function refusalOf(authority: string): Promise<string> {
		const { status, text } = await tunnelTo(authority);
		expect(status).to.equal(403);
		return text.trim();
	}

	it("opens a tunnel to a server that the operator names, which may be a private one", async () => {
		const { status, socket } = await tunnelTo(`git.company.example:${port}`);
		expect(status).to.equal(200);
		const outgoing = httpRequest({ createConnection: () => socket, path: "/through", headers: { host: "git" } });
		outgoing.end();
		const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
		let text = "";
		for await (const chunk of answer) text += String(chunk);
		expect(text).to.equal("GET /through no secret");
		expect(refused).to.deep.equal([]);
	});

	it("passes on a request of http, without what is meant for the proxy", async () => {
		const outgoing = httpRequest({
			socketPath,
			method: "POST",
			path: `http://git.company.example:${port}/plain?q=1`,
			headers: { "proxy-authorization": "Basic secret", host: "somewhere.else" },
			agent: false,
		});
		outgoing.end("body");
		const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
		let text = "";
		for await (const chunk of answer) text += String(chunk);
		expect(text).to.equal("POST /plain?q=1 no secret");
		expect(answer.headers["x-host"]).to.equal(`git.company.example:${port}`);
	});

	for (const [what, host] of [
		["a name that leads to this machine", "rebound.example"],
		["a name that leads to the machine's metadata", "metadata.example"],
		["a name of which one address is private", "mixed.example"],
		["this machine", "127.0.0.1"],
		["this machine, in IPv6", "[::1]"],
		["this machine as a mapped address", "[::ffff:127.0.0.1]"],
		["the metadata address", "169.254.169.254"],
		["a private network", "10.0.0.1"],
	] as const) {
		it(`refuses ${what}, and tells it`, async () => {
			const shown = host.replace(/[[\]]/g, "");
			expect(await refusalOf(`${host}:${port}`)).to.equal(
				`The connection to ${shown}:${port} is refused: its address is not a public one`,
			);
			expect(refused).to.deep.equal([`${shown}:${port}: its address is not a public one`]);
		});
	}

	/** Runs the work with the socket of another session's proxy. */
	async function withSession(
		name: string,
		dependencies: Pick<EgressDependencies, "resolve" | "addressRefusal">,
		work: (at: string) => Promise<void>,
	): Promise<void> {
		const own = new EgressProxy({
			rules: () => [rules],
			refused: new BlockList(),
			dial: loopbackDial(dialled),
			onRefused() {},
			...dependencies,
		});
		const at = join(folder, `${name}.sock`);
		await own.listen(at);
		try {
			await work(at);
		} finally {
			own.close();
		}
	}

	it("refuses a name of the operator that leads to this machine, its metadata or nowhere", async () => {
		rules = { ...rules, internal: [{ host: ".company.example" }] };
		const led: Record<string, string> = {
			"loopback.company.example": "127.0.0.1",
			"loopback6.company.example": "::1",
			"mapped.company.example": "::ffff:10.1.1.1",
			"metadata.company.example": "169.254.169.254",
			"metadata6.company.example": "fd00:ec2::254",
			"unspecified.company.example": "0.0.0.0",
		};
		const known = async (host: string) => [led[host] ?? ""];
		await withSession("strict", { resolve: { public: known, known } }, async (at) => {
			for (const host of Object.keys(led)) {
				const { status, text } = await tunnelTo(`${host}:${port}`, at);
				expect(status, host).to.equal(403);
				expect(text).to.include("its address is this machine's or reserved");
			}
		});
	});

	it("admits the port that the operator names with a host, for that host only", async () => {
		rules = {
			...rules,
			internal: [{ host: "git.company.example", port }, { host: "web.company.example" }],
			ports: [1],
		};
		names["web.company.example"] = ["127.0.0.1"];
		const { status, socket } = await tunnelTo(`git.company.example:${port}`);
		expect(status).to.equal(200);
		socket.destroy();
		expect(await refusalOf(`web.company.example:${port}`)).to.include("sessions reach the ports 1 only");
		expect(await refusalOf(`git.company.example:${port === 2 ? 3 : 2}`)).to.include("sessions reach the ports 1 only");
	});

	it("lets no rule of a launch that says nothing about ports narrow or widen them", async () => {
		const launch: EgressRules = { profile: "default", allowed: [], internal: [] };
		const both = new EgressProxy({
			rules: () => [rules, launch],
			refused: new BlockList(),
			dial: loopbackDial(dialled),
			onRefused() {},
			resolve: { public: async () => ["127.0.0.1"], known: async () => ["127.0.0.1"] },
			addressRefusal: loopbackToo,
		});
		const at = join(folder, "both.sock");
		await both.listen(at);
		const { status, socket } = await tunnelTo(`git.company.example:${port}`, at);
		expect(status).to.equal(200);
		socket.destroy();
		expect((await tunnelTo("git.company.example:25", at)).text).to.include(`sessions reach the ports ${port} only`);
		both.close();
	});

	it("refuses other ports before it resolves a name", async () => {
		expect(await refusalOf("git.company.example:25")).to.include(`sessions reach the ports ${port} only`);
		expect(resolved).to.deep.equal([]);
	});

	it("lets a restricted session reach what its template names, with the names below", async () => {
		rules = { ...rules, profile: "restricted", internal: [], allowed: ["registry.example", ".pypi.example"] };
		expect(await refusalOf(`elsewhere.example:${port}`)).to.include(
			"neither the session's template nor its repositories name this server",
		);
		expect(await refusalOf(`notpypi.example:${port}`)).to.include("name this server");
		names["files.pypi.example"] = ["10.1.1.1"];
		expect(await refusalOf(`files.pypi.example:${port}`)).to.include("its address is not a public one");
		expect(resolved).to.deep.equal(["files.pypi.example"]);
	});

	it("lets a session without a way out reach nothing", async () => {
		rules = { ...rules, profile: "none" };
		expect(await refusalOf(`git.company.example:${port}`)).to.include("this session may not reach any server");
	});

	it("says what cannot be resolved, reached or understood", async () => {
		expect(await tunnelTo(`absent.example:${port}`)).to.include({
			status: 502,
			text: "The name absent.example cannot be resolved\n",
		});
		names["git.company.example"] = ["127.0.0.2"];
		rules = { ...rules, ports: [1] };
		expect(await tunnelTo("git.company.example:1")).to.include({ status: 502 });
		names["git.company.example"] = ["127.0.0.1"];
		expect(await tunnelTo("no-port")).to.include({ status: 400 });
	});

	it("ends the connection of a client whose answer breaks off", async () => {
		const broken = createServer((_request, response) => {
			response.writeHead(200, { "content-length": "1000" });
			response.write("half");
			setTimeout(() => response.destroy(), 50);
		});
		broken.listen(0, "127.0.0.1");
		await once(broken, "listening");
		const { port: at } = broken.address() as AddressInfo;
		rules = { ...rules, ports: [at] };
		const outgoing = httpRequest({ socketPath, path: `http://git.company.example:${at}/`, agent: false });
		outgoing.end();
		const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
		const failure = await (async () => {
			for await (const _part of answer);
		})().catch((error: NodeJS.ErrnoException) => error.code);
		expect(failure).to.equal("ECONNRESET");
		broken.close();
	});

	it("ends all tunnels when it is closed", async () => {
		const own = new EgressProxy({
			rules: () => [rules],
			refused: new BlockList(),
			dial: loopbackDial(dialled),
			onRefused() {},
			resolve: { public: async () => ["127.0.0.1"], known: async () => ["127.0.0.1"] },
			addressRefusal: loopbackToo,
		});
		const ownPath = join(folder, "own.sock");
		await own.listen(ownPath);
		const outgoing = httpRequest({
			socketPath: ownPath,
			method: "CONNECT",
			path: `git.company.example:${port}`,
			agent: false,
		});
		outgoing.end();
		const [, socket] = (await once(outgoing, "connect")) as [IncomingMessage, Socket];
		const ended = once(socket, "close");
		own.close();
		await ended;
	});

	it("ends the connection to the server with the one of the session", async () => {
		const { socket } = await tunnelTo(`git.company.example:${port}`);
		const connections = async () =>
			new Promise<number>((resolve) => target.getConnections((_error, count) => resolve(count)));
		expect(await connections()).to.be.above(0);
		socket.destroy();
		while ((await connections()) > 0) await once(connect({ path: socketPath }), "connect");
	});
});
