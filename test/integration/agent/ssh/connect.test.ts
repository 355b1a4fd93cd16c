/** The program by which ssh leaves a pod without a network: real connections through the proxy of a session. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, BlockList, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { projectRoot } from "#shared/base/project-root.ts";
import { EgressProxy } from "#shared/net/egress/egress-proxy.ts";
import { linkStreams } from "#shared/net/linked-streams.ts";

const program = join(projectRoot, "agent/ssh/connect.ts");
const pattern = Buffer.alloc(3_000_000, "0123456789");

describe("ssh's way out of a pod", () => {
	const folder = mkdtempSync(join(tmpdir(), "atelier-ssh-way-"));
	const servers: Server[] = [];
	let proxy: EgressProxy;
	let at: string;
	let port: string;

	async function listening(server: Server): Promise<string> {
		servers.push(server);
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		return String((server.address() as AddressInfo).port);
	}

	before(async () => {
		// It says first what it is, as servers of ssh do, and repeats what it hears.
		port = await listening(
			createServer({ allowHalfOpen: true }, (client) => {
				client.on("error", () => {});
				client.write("SSH-2.0-test\n");
				client.pipe(client);
			}),
		);
		const socketPath = join(folder, "egress.sock");
		const ports = [Number(port)];
		proxy = new EgressProxy({
			rules: () => [{ profile: "default", allowed: [], internal: [{ host: "git.example" }], ports }],
			refused: new BlockList(),
			onRefused: () => {},
			resolve: { public: async () => ["127.0.0.1"], known: async () => ["127.0.0.1"] },
			addressRefusal: (_address, networks) =>
				networks === "known" ? undefined : { reason: "address", words: "its address is not a public one" },
		});
		await proxy.listen(socketPath);
		const allowHalfOpen = true;
		const toProxy = () => connect({ path: socketPath, allowHalfOpen });
		const bridge = createServer({ allowHalfOpen }, (client) => linkStreams(client, toProxy()));
		at = `127.0.0.1:${await listening(bridge)}`;
	});
	after(() => {
		proxy.close();
		for (const server of servers) server.close();
		rmSync(folder, { recursive: true });
	});

	function started(host: string, through = at) {
		return spawn(process.execPath, [program, through, host, port]);
	}

	it("carries what both sides say, and ends with them", async () => {
		const child = started("git.example");
		child.stdin.end(pattern);
		const [said, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
		expect(code).to.equal(0);
		expect(said).to.equal(`SSH-2.0-test\n${pattern.toString()}`);
	});

	it("tells why a server is refused, and ends", async () => {
		const child = started("other.example");
		const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
		expect(code).to.equal(1);
		expect(said).to.equal(`The connection to other.example:${port} is refused: its address is not a public one\n`);
	});

	it("tells that there is no proxy", async () => {
		const child = started("git.example", "127.0.0.1:1");
		const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
		expect([code, said]).to.deep.equal([1, "connect ECONNREFUSED 127.0.0.1:1\n"]);
	});

	it("reads a reason without an end by a bound", async () => {
		const endless = createServer((client) => {
			client.on("error", () => {});
			client.write("HTTP/1.1 403 Refused\r\n\r\n");
			const flood = (): void => void (client.writable && client.write("x".repeat(60_000), flood));
			flood();
		});
		const child = started("git.example", `127.0.0.1:${await listening(endless)}`);
		const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
		expect([code, said.length]).to.deep.equal([1, 2_001]);
	});
});
