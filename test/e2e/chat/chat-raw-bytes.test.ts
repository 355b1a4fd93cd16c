/** Malicious bytes on the chat at the gateway, each followed by a good client that is served. */
import { expect } from "chai";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { openChat } from "../../support/clients/chat-client.ts";
import { eventually } from "../../support/eventually.ts";
import { RawConnection, rawRequest } from "../../support/clients/raw-http.ts";
import { runningSession } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

describe("the chat: raw bytes", function () {
	this.timeout(60_000);
	let platform: TestPlatform;
	let api: ApiClient;
	let id: string;

	before(async () => {
		platform = await startPlatform();
		api = platform.client();
		({ id } = await runningSession(api));
	});
	after(() => platform?.[Symbol.asyncDispose]());

	afterEach(async () => {
		const client = await openChat(`${platform.url.replace("http", "ws")}/s/${id}/session`);
		expect((await client.frame("system")).content).to.equal(`Connected to session ${id}`);
		client.socket.terminate();
	});

	const handshake = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13" };
	const key = { "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==" };
	const rows: [what: string, status: number, headers: Record<string, string>, method?: string][] = [
		["no key", 400, handshake],
		["a key that is none", 400, { ...handshake, "Sec-WebSocket-Key": "short" }],
		["an old version", 426, { ...handshake, ...key, "Sec-WebSocket-Version": "8" }],
		["another method", 400, { ...handshake, ...key }, "POST"],
		["a body", 400, { ...handshake, ...key, "Content-Length": "5" }],
		["a body in chunks", 400, { ...handshake, ...key, "Transfer-Encoding": "chunked" }],
	];
	for (const [what, status, headers, method = "GET"] of rows) {
		it(`${what} gets ${status}`, async () => {
			const connection = await raw(headers, method);
			expect((await connection.answer()).status).to.equal(status);
			await connection.ended();
		});
	}

	/** A frame of a client; the mask is zeros, so the payload is unchanged. */
	const frame = (first: number, payload: Buffer, isMasked = true): Buffer =>
		Buffer.concat([
			Buffer.from([first, (isMasked ? 0x80 : 0) | payload.length]),
			Buffer.alloc(isMasked ? 4 : 0),
			payload,
		]);
	const oversized = Buffer.alloc(14);
	oversized.set([0x81, 0xff]);
	oversized.writeBigUInt64BE(1n << 40n, 2);
	const wrong: [what: string, code: number, bytes: Buffer][] = [
		["a frame larger than any may be", 1009, oversized],
		["a frame without a mask", 1002, frame(0x81, Buffer.from("{}"), false)],
		["a reserved bit", 1002, frame(0xc1, Buffer.from("{}"))],
		["an opcode that is none", 1002, frame(0x83, Buffer.from("{}"))],
		["text that is no UTF-8", 1007, frame(0x81, Buffer.from([0xff, 0xfe]))],
		["a continuation of nothing", 1002, frame(0x80, Buffer.from("{}"))],
		["bytes instead of text", 1003, frame(0x82, Buffer.from("{}"))],
	];
	for (const [what, code, bytes] of wrong) {
		it(`${what} ends its connection with ${code}`, async () => {
			const connection = await raw({ ...handshake, ...key });
			expect((await connection.answer()).status).to.equal(101);
			const closing = Buffer.from([0x88, 0x02, code >> 8, code & 0xff]).toString("latin1");
			const received: Buffer[] = [];
			connection.socket.on("data", (chunk: Buffer) => received.push(chunk));
			connection.write(bytes);
			const isClosed = (): boolean => {
				const text = Buffer.concat(received).toString("latin1");
				const at = text.lastIndexOf("\x88");
				return at !== -1 && text.slice(at + 2, at + 4) === closing.slice(2);
			};
			await eventually(isClosed, { what: `a close frame with ${code}` });
			connection.close();
		});
	}

	it("a frame that is sent before the handshake is answered is handled after it", async () => {
		const early = rawRequest(`GET /s/${id}/session`, { ...common(), ...handshake, ...key });
		const connection = await RawConnection.open(Number(new URL(platform.url).port));
		const message = Buffer.from(JSON.stringify({ type: "interrupt" }));
		connection.write(Buffer.concat([Buffer.from(early), frame(0x81, message)]));
		expect((await connection.answer()).status).to.equal(101);
		await eventually(() => connection.text.includes('"interrupted"'));
		connection.close();
	});

	function common(): Record<string, string> {
		return { Host: new URL(platform.url).host };
	}

	async function raw(headers: Record<string, string>, method = "GET"): Promise<RawConnection> {
		const connection = await RawConnection.open(Number(new URL(platform.url).port));
		connection.write(rawRequest(`${method} /s/${id}/session`, { ...common(), ...headers }));
		return connection;
	}
});
