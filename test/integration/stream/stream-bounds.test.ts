/** The cost of slow, dead and many clients. */
import { expect } from "chai";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../support/eventually.ts";
import { heldBytes } from "../../support/machine/held-bytes.ts";
import type { NewEntry } from "../../support/stores/memory-event-log.ts";
import { rawRequest } from "../../support/clients/raw-http.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import { sealedId } from "../../support/clients/test-ids.ts";
import { startStream, type StreamOptions, streamPath, type TestStream } from "../../support/platform/start-stream.ts";

const megabyte = 1024 * 1024;

function entries(count: number, bytes: number): NewEntry[] {
	const data = JSON.stringify("x".repeat(bytes));
	return Array.from({ length: count }, () => ({ type: "session_updated", data, tenant: "default" }));
}

const marker: NewEntry = { type: "session_deleted", data: '{"id":"marker"}', tenant: "default" };

/** A client that counts bytes instead of reading events, so that a thousand of them cost the test little. */
class ByteClient {
	readonly socket: Socket;
	bytes = 0;
	#last = "";

	private constructor(socket: Socket) {
		this.socket = socket;
		socket.on("data", (chunk: Buffer) => {
			this.bytes += chunk.length;
			// The last chunk may have only a few bytes.
			this.#last = (this.#last + chunk.subarray(-60).toString("latin1")).slice(-60);
		});
		// Some of these tests want their clients to be disconnected.
		socket.on("error", () => {});
	}

	/** Resolves when the beginning of every stream has arrived. @throws {Error} when there is no room. */
	static async open({ gateway: { host, port } }: TestStream, lastEventId?: string): Promise<ByteClient> {
		const socket = connect({ port, host: "127.0.0.1" });
		await once(socket, "connect");
		const client = new ByteClient(socket);
		const headers = { Host: host, ...(lastEventId !== undefined && { "Last-Event-ID": sealedId(lastEventId) }) };
		socket.write(rawRequest(`GET ${streamPath}`, headers));
		for (let begin = ""; !begin.includes("retry: 2000\n"); ) {
			const [chunk]: Buffer[] = await once(socket, "data");
			begin += chunk?.toString("latin1") ?? "";
			if (begin.startsWith("HTTP/1.1 200 ")) continue;
			socket.destroy();
			throw new Error(`The stream is refused: ${begin.slice(0, 12)}`);
		}
		return client;
	}

	get hasMarker(): boolean {
		return this.#last.includes(marker.data);
	}
}

describe("stream: bounds", function () {
	this.timeout(30_000);
	let stream: TestStream;
	const sockets: Socket[] = [];

	async function start(options: StreamOptions = {}): Promise<void> {
		stream = await startStream(options);
		await eventually(() => stream.stream.check().then(() => true));
	}

	async function open(lastEventId?: string): Promise<ByteClient> {
		const client = await ByteClient.open(stream, lastEventId);
		sockets.push(client.socket);
		return client;
	}

	/** Resolves when the server has room for one more client. */
	async function placeIsFree(): Promise<void> {
		const client = await eventually(() => stream.open(), { withinMs: 10_000, what: "the server has let a client go" });
		await client.close();
	}

	afterEach(async () => {
		for (const socket of sockets.splice(0)) socket.destroy();
		await stream.stop();
	});

	it("1,000 clients get a burst of 200 events each", async () => {
		await start();
		const before = heldBytes();
		const clients: ByteClient[] = [];
		while (clients.length < 1_000) clients.push(...(await Promise.all(Array.from({ length: 50 }, () => open()))));
		const perClient = (heldBytes() - before) / clients.length;
		const heads = clients.reduce((sum, { bytes }) => sum + bytes, 0);
		const cpu = process.cpuUsage();
		const begun = performance.now();
		const each = 200;
		stream.log.append(...entries(each - 1, 500), marker);
		await eventually(() => clients.every(({ hasMarker }) => hasMarker), { withinMs: 20_000, everyMs: 5 });
		const ms = performance.now() - begun;
		const { user, system } = process.cpuUsage(cpu);
		const deliveries = each * clients.length;
		const bytes = clients.reduce((sum, client) => sum + client.bytes, 0) - heads;
		expect(bytes / clients.length).to.equal(Math.round(bytes / clients.length));
		console.log(
			`      ${deliveries} deliveries (${Math.round(bytes / megabyte)} MB) in ${Math.round(ms)} ms = ` +
				`${Math.round((deliveries / ms) * 1_000)}/s, ${((user + system) / deliveries).toFixed(2)} CPU µs each ` +
				`with the clients' reading; ${Math.round(perClient / 1024)} KB a connection, both ends`,
		);
	});

	it("a slow reader gets 40 MB of missed events completely, and the server buffers little", async () => {
		await start();
		stream.log.append(...entries(5_000, 8_000));
		const probe = await open("e1-4999");
		await eventually(() => probe.bytes > 8_000);
		const before = heldBytes();
		const client = await open("e1-0");
		const held: number[] = [];
		for (let reads = 0; client.bytes < 20 * megabyte; reads++) {
			client.socket.pause();
			await sleep(1);
			if (reads % 20 === 0) held.push(heldBytes() - before);
			client.socket.resume();
			await once(client.socket, "data");
		}
		expect(held.length).to.be.greaterThan(5);
		expect(Math.max(...held)).to.be.below(6 * megabyte);
		stream.log.append(marker);
		await eventually(() => client.hasMarker);
		expect(client.bytes).to.be.greaterThan(5_000 * 8_000);
	});

	it("20 clients that never read are disconnected, and leave nothing behind", async () => {
		await start({ maxClients: 21 });
		const reader = await open();
		for (let i = 0; i < 20; i++) (await open()).socket.pause();
		const before = heldBytes();
		// The events have 32 MB, twice what a connection's buffers in the kernel take at most.
		for (let burst = 0; burst < 40; burst++) {
			stream.log.append(...entries(50, 16 * 1024));
			await eventually(() => reader.bytes > (burst + 1) * 50 * 16 * 1024, { everyMs: 1 });
		}
		stream.log.append(marker);
		await eventually(() => reader.hasMarker);
		const others: SseClient[] = [];
		while (others.length < 20) others.push(await eventually(() => stream.open(), { what: "the server let them go" }));
		for (const other of others) await other.close();
		const ownLogAndTail = 2 * 40 * 50 * 16 * 1024;
		expect(heldBytes() - before - ownLogAndTail).to.be.below(20 * megabyte);
	});

	it("a client that stops reading is disconnected after its time limit, and one that reads is not", async () => {
		await start({ maxClients: 2, limits: { maxUnreadBytes: 1024 * megabyte, maxStallMs: 300 } });
		const reader = await open();
		(await open()).socket.pause();
		// The events have 20 MB, more than a connection's buffers in the kernel take, but never so much at once that a
		// reader would need its time limit.
		for (let burst = 0; burst < 20; burst++) {
			stream.log.append(...entries(20, 50 * 1024));
			await eventually(() => reader.bytes > (burst + 1) * 20 * 50 * 1024, { everyMs: 1 });
		}
		await placeIsFree();
		stream.log.append(marker);
		await eventually(() => reader.hasMarker);
	});

	it("a client that disconnects frees its place", async () => {
		await start({ maxClients: 1 });
		for (let i = 0; i < 5; i++) {
			const client = await eventually(() => stream.open());
			await client.close();
		}
		const vanished = await eventually(() => open());
		vanished.socket.resetAndDestroy();
		await placeIsFree();
	});
});
