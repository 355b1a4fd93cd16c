import { expect } from "chai";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { AgentBridge } from "#services/pod-manager/pod-runtimes/containers/agent-bridge.ts";
import { agentSocket } from "#shared/wire/pod/door/door-sockets.ts";
import { freePort } from "../../../../../support/machine/free-port.ts";
import { useFolder } from "../../../../../support/use-folder.ts";

describe("AgentBridge", () => {
	const root = useFolder();
	const opened: { close(): void }[] = [];
	let folder: string;

	beforeEach(() => {
		folder = join(root(), "out");
		mkdirSync(folder);
	});
	afterEach(() => {
		for (const one of opened.splice(0)) one.close();
	});

	async function bridge(former = 0): Promise<AgentBridge> {
		const made = await AgentBridge.open(folder, "127.0.0.1", former);
		opened.push(made);
		return made;
	}

	/** Starts a server that answers what it is sent, after a word of its own. */
	async function listening(socket: string, word: string): Promise<Server> {
		const server = createServer({ allowHalfOpen: true }, (client) => {
			void text(client).then((sent) => client.end(`${word} ${sent}`));
		});
		server.listen(socket);
		await once(server, "listening");
		opened.push(server);
		return server;
	}

	/** Sends a text to a port, and resolves to all that is answered; empty when the connection was refused or cut off. */
	async function answered(port: number): Promise<string> {
		const client = connect(port, "127.0.0.1");
		client.end("hello");
		return text(client).catch(() => "");
	}

	it("passes all on in both directions, also after the agent's socket was made again", async () => {
		const { port } = await bridge();
		expect(await answered(port)).to.equal("");
		const first = await listening(join(folder, agentSocket), "first");
		expect(await answered(port)).to.equal("first hello");
		first.close();
		await once(first, "close");
		await listening(join(folder, agentSocket), "second");
		expect(await answered(port)).to.equal("second hello");
	});

	it("follows nothing that a session has put in the place of the socket or its folder", async () => {
		const { port } = await bridge();
		const other = join(root(), "engine.sock");
		await listening(other, "engine");
		symlinkSync(other, join(folder, agentSocket));
		expect(await answered(port)).to.equal("");
		rmSync(join(folder, agentSocket));
		writeFileSync(join(folder, agentSocket), "");
		expect(await answered(port)).to.equal("");
		rmSync(folder, { recursive: true });
		mkdirSync(join(root(), "elsewhere"));
		await listening(join(root(), "elsewhere", agentSocket), "elsewhere");
		symlinkSync(join(root(), "elsewhere"), folder);
		expect(await answered(port)).to.equal("");
	});

	it("takes the former port again, or another one when it is taken", async () => {
		const port = await freePort();
		expect((await bridge(port)).port).to.equal(port);
		expect((await bridge(port)).port).to.not.equal(port);
	});
});
