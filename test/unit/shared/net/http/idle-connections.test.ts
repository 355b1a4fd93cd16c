import { expect } from "chai";
import { once } from "node:events";
import { Agent, type ClientRequest, get, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { openHttpServer, portOf } from "#shared/net/http/http-server.ts";
import { connect } from "node:net";
import { eventually } from "../../../../support/eventually.ts";

const most = 8;

describe("connections without a request, when a server has as many as it may have", () => {
	/** The requests that are not answered. */
	let held: ServerResponse[];
	let server: Server;
	const agents: Agent[] = [];

	beforeEach(async () => {
		held = [];
		const options = { host: "127.0.0.1", port: 0, maxConnections: most, keys: "", shouldUpgrade: () => true };
		server = await openHttpServer(options, ({ url }, response) => {
			if (url === "/held") held.push(response);
			else response.end("done");
		});
		server.on("upgrade", (_request, socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
	});

	afterEach(() => {
		for (const agent of agents.splice(0)) agent.destroy();
		server.close();
		server.closeAllConnections();
	});

	/** Returns a client with one connection, which stays open. */
	function client(localAddress = "127.0.0.1"): { ask: (path: string) => ClientRequest; count: () => number } {
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		agents.push(agent);
		const ask = (path: string) => get({ host: "127.0.0.1", port: portOf(server), path, agent, localAddress });
		return { ask, count: () => Object.values(agent.freeSockets).flat().length };
	}

	async function answered(request: ClientRequest): Promise<void> {
		const [response] = (await once(request, "response")) as [IncomingMessage];
		response.resume();
		await once(response, "end");
	}

	it("are closed, the oldest of the address with most of them first", async () => {
		const other = client("127.0.0.2");
		await answered(other.ask("/"));
		const greedy = Array.from({ length: most - 1 }, () => client());
		for (const one of greedy) await answered(one.ask("/"));
		for (let n = 0; n < 3; n++) await answered(client("127.0.0.3").ask("/"));
		await eventually(() => greedy.filter((one) => one.count() === 0).length >= 3);
		expect(greedy.map((one) => one.count()).slice(0, 3)).to.deep.equal([0, 0, 0]);
		expect(other.count()).to.equal(1);
	});

	it("are closed also when they have sent nothing, and those with a request are not", async () => {
		const busy = Array.from({ length: most - 2 }, () => client().ask("/held"));
		await eventually(() => held.length === most - 2);
		const silent = Array.from({ length: 5 }, () => connect({ port: portOf(server), host: "127.0.0.1" }));
		for (const socket of silent) socket.on("error", () => {});
		await eventually(() => silent.filter(({ destroyed }) => destroyed).length === 4);
		await answered(client("127.0.0.3").ask("/"));
		for (const socket of silent) socket.destroy();
		for (const response of held) response.end("done");
		await Promise.all(busy.map(answered));
	});

	it("are not those that have become other ones, such as chats", async () => {
		const chat = connect({ port: portOf(server), host: "127.0.0.1" });
		chat.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
		await once(chat, "data");
		for (let n = 0; n < 2 * most; n++) await answered(client().ask("/"));
		expect(chat.readableEnded || chat.destroyed).to.equal(false);
		chat.destroy();
	});
});
