/** A gateway that dies under a keyed change whose body comes later than its headers: haproxy repeats it at the other one. */
import { expect } from "chai";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Haproxy } from "../../support/rolling/haproxy.ts";

describe("haproxy with a body that comes late", function () {
	this.timeout(60_000);
	let servers: Server[];

	beforeEach(async () => {
		servers = ["dies", "lives"].map((kind) =>
			createServer((asked, response) => {
				const dies = kind === "dies" && asked.method === "POST";
				if (dies) asked.once("data", () => asked.socket.destroy());
				else void text(asked).then((body) => response.end(`took ${body}`));
			}),
		);
		for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
	});
	afterEach(() => {
		for (const server of servers) {
			server.closeAllConnections();
			server.close();
		}
	});

	/** Sends the headers, and the body when they have left. */
	async function post(url: string): Promise<string> {
		const asked = request(url, { method: "POST", headers: { "idempotency-key": "one", "content-length": "4" } });
		asked.flushHeaders();
		await once(asked, "socket");
		await new Promise((resolve) => setTimeout(resolve, 100));
		asked.end("body");
		const [answer] = (await once(asked, "response")) as [IncomingMessage];
		return `${answer.statusCode} ${await text(answer)}`;
	}

	it("repeats each keyed change at the gateway that lives", async () => {
		const ports = servers.map((server) => (server.address() as AddressInfo).port);
		await using haproxy = await Haproxy.start(ports);
		for (let n = 0; n < 4; n++) expect(await post(`${haproxy.url}/things`)).to.equal("200 took body");
	});
});
