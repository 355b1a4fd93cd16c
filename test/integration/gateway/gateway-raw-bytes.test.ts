/** Malicious bytes for an HTTP server, each followed by a good request that succeeds. */
import { expect } from "chai";
import { openHttpServer, portOf } from "#shared/net/http/http-server.ts";
import { eventually } from "../../support/eventually.ts";
import { rawRequest, RawConnection, sendRaw } from "../../support/clients/raw-http.ts";
import { ProbeGateway, thing } from "../../support/platform/probe-gateway.ts";

const chunked = `POST ${thing} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n`;
const smuggled = `GET ${thing}?smuggled=1 HTTP/1.1\r\nHost: h\r\n\r\n`;

describe("gateway: raw bytes", () => {
	const gateway = new ProbeGateway();
	const { service } = gateway;
	afterEach(() => gateway.expectGood());

	for (const [what, bytes] of [
		["a length of a sign", `POST ${thing} HTTP/1.1\r\nHost: h\r\nContent-Length: +5\r\n\r\nab`],
		["a length below nothing", `POST ${thing} HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\nab`],
		["a length in hexadecimal", `POST ${thing} HTTP/1.1\r\nHost: h\r\nContent-Length: 0x2\r\n\r\nab`],
		["two lengths in one", `POST ${thing} HTTP/1.1\r\nHost: h\r\nContent-Length: 2, 2\r\n\r\nab`],
		["a length without end", `POST ${thing} HTTP/1.1\r\nHost: h\r\nContent-Length: ${"9".repeat(30)}\r\n\r\nab`],
		["two lengths", `POST ${thing} HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nContent-Length: 60\r\n\r\n${smuggled}`],
		["a length and chunks", `${chunked}Content-Length: 4\r\n\r\n0\r\n\r\n${smuggled}`],
		["an unknown coding of the body", `${chunked.replace("chunked", "xchunked")}\r\n0\r\n\r\n${smuggled}`],
		["chunks that are not the last coding", `${chunked.replace("chunked", "chunked, gzip")}\r\n0\r\n\r\n`],
		["a chunk of no size", `${chunked}\r\nzz\r\nab\r\n0\r\n\r\n`],
		["a chunk of too many bytes", `${chunked}\r\n${"f".repeat(20)}\r\nab\r\n`],
		["a chunk with a bare line feed", `${chunked}\r\n1\nabc\r\n0\r\n\r\n`],
		["a folded header", `GET ${thing} HTTP/1.1\r\nHost: h\r\nX: a\r\n b: c\r\n\r\n`],
		["a header with a NUL", `GET ${thing} HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n`],
		["a header without a colon", `GET ${thing} HTTP/1.1\r\nHost: h\r\nnothing\r\n\r\n`],
		["a header without a name", `GET ${thing} HTTP/1.1\r\nHost: h\r\n: a\r\n\r\n`],
		["a bare carriage return", `GET ${thing} HTTP/1.1\r\nHost: h\r\nX: a\rY: b\r\n\r\n`],
		["a method of lower case", `get ${thing} HTTP/1.1\r\nHost: h\r\n\r\n`],
		["a version that is none", `GET ${thing} HTTP/9.9\r\nHost: h\r\n\r\n`],
		["the beginning of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
		["the beginning of TLS", Buffer.from("160301020001000001fc0303", "hex")],
		["no HTTP at all", Buffer.from("\0\x01\x02\xff\xfe\r\n\r\n", "latin1")],
	] as const) {
		it(`${what} is 400, and its connection ends with nothing done`, async () => {
			const connection = await RawConnection.open(gateway.port);
			try {
				connection.write(typeof bytes === "string" ? bytes.replaceAll("Host: h\r", `Host: ${gateway.host}\r`) : bytes);
				expect((await connection.answer()).status).to.equal(400);
				await connection.ended();
				expect(connection.text).to.equal("");
			} finally {
				connection.close();
			}
			expect(service.seen).to.deep.equal([]);
		});
	}

	it("a request that is dropped in its body is forgotten", async () => {
		const connection = await RawConnection.open(gateway.port);
		const headers = { Host: gateway.host, "Content-Type": "application/json", "Content-Length": "1000" };
		connection.write(`${rawRequest(`POST ${thing}`, headers)}{"name":`);
		connection.close();
		await connection.ended();
		expect(service.seen).to.deep.equal([]);
	});

	it("two requests in one write get two answers, in order", async () => {
		const connection = await RawConnection.open(gateway.port);
		const headers = { Host: gateway.host };
		connection.write(rawRequest("GET /nope", headers) + rawRequest(`GET ${thing}`, headers));
		expect([(await connection.answer()).status, (await connection.answer()).status]).to.deep.equal([404, 200]);
		connection.close();
	});

	it("silent sockets, slow headers and slow bodies are closed by the server", async () => {
		const json = { Host: gateway.host, "Content-Type": "application/json", "Content-Length": "1000" };
		const beginnings = ["", "GET /health HTTP/1.1\r\nHost: h\r\n", rawRequest(`POST ${thing}`, json)];
		const slow = await Promise.all(beginnings.map(() => RawConnection.open(gateway.port)));
		const drip = setInterval(() => {
			slow[1]?.write("X: a\r\n");
			slow[2]?.write(" ");
		}, 500);
		try {
			for (const [i, connection] of slow.entries()) connection.write(beginnings[i] ?? "");
			const ended = Promise.all(slow.map((connection) => connection.ended()));
			await eventually(() => slow.every(({ socket }) => socket.closed || socket.readableEnded), { withinMs: 25_000 });
			for (const connection of slow) connection.close();
			await ended;
		} finally {
			clearInterval(drip);
			for (const connection of slow) connection.close();
		}
		expect(service.seen).to.deep.equal([]);
	}).timeout(40_000);
});

describe("openHttpServer()", () => {
	it("drops connections beyond its limit, and accepts the next one when another has ended", async () => {
		const options = { host: "127.0.0.1", port: 0, maxConnections: 5, keys: "none" };
		let held = 0;
		const server = await openHttpServer(options, ({ url }, response) => {
			if (url === "/held") held++;
			else response.end();
		});
		const there: RawConnection[] = [];
		try {
			// Each has a request under way: one without would be closed for the next connection.
			for (let count = 1; count <= options.maxConnections; count++) {
				const connection = await RawConnection.open(portOf(server));
				there.push(connection);
				connection.write(rawRequest("GET /held", { Host: "h" }));
				await eventually(() => held === count);
			}
			const late = await RawConnection.open(portOf(server));
			await eventually(() => late.socket.closed, { withinMs: 2_000, what: "the connection is dropped at once" });
			there[0]?.close();
			await eventually(async () => {
				const answer = await sendRaw(portOf(server), rawRequest("GET /", { Host: "h" })).catch(() => undefined);
				return answer?.status === 200;
			});
		} finally {
			for (const connection of there) connection.close();
			server.close();
			server.closeAllConnections();
		}
	});
});
