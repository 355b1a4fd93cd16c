/** Attacks on the connections of outbound requests: another address than the checked one, and what a redirect takes along. */
import { expect } from "chai";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { loadConfig } from "#shared/config/config.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import { OutboundConnections } from "#shared/net/outbound/outbound-connections.ts";

describe("outbound connections", () => {
	let server: Server;
	let port: number;
	let seen: IncomingMessage[];
	let addresses: (string | undefined)[];

	beforeEach(async () => {
		seen = [];
		addresses = [];
		server = createServer((request, response) => {
			seen.push(request);
			addresses.push(request.socket.localAddress);
			request.resume();
			if (request.url === "/away") response.writeHead(302, { location: `http://127.0.0.2:${port}/there` });
			response.end("hello");
		});
		await once(server.listen(0, "0.0.0.0"), "listening");
		({ port } = server.address() as AddressInfo);
	});
	afterEach(() => {
		server.closeAllConnections();
		server.close();
	});

	it("of a host that the configuration allows are for such requests only, although they are kept open", async () => {
		const connections = new OutboundConnections(undefined);
		const host = "split.example";
		for (const [isAllowed, address] of [
			[true, "127.0.0.1"],
			[false, "127.0.0.2"],
			[true, "127.0.0.1"],
		] as const) {
			const target = { url: new URL(`http://${host}:${port}/`), host, isAllowed };
			const signal = AbortSignal.timeout(10_000);
			const hop = { target, addresses: [address], method: "GET", headers: {}, body: undefined, signal };
			for await (const _ of await connections.send(hop));
		}
		connections.close();
		expect(addresses).to.deep.equal(["127.0.0.1", "127.0.0.2", "127.0.0.1"]);
	});

	it("to another origin get no body", async () => {
		const allow = ["127.0.0.1", "127.0.0.2"].map((host) => `http://${host}:${port}`);
		const outbound = new Outbound({ ...loadConfig({}).outbound, allow });
		const { url } = await outbound.send({ url: `${allow[0]}/away`, body: "s3cret" });
		outbound.close();
		expect(url).to.equal(`${allow[1]}/there`);
		expect(seen.map(({ headers }) => headers["content-length"])).to.deep.equal(["6", undefined]);
	});
});
