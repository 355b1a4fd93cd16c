/**
 * A program with many clients of the event stream on bare sockets, so that they cost little. Readers reconnect with
 * `Last-Event-ID` when their connection is closed, as browsers do; idlers read nothing, or one byte per second. Its
 * only argument is a {@link CrowdOrder}; it reports to its parent until it is killed.
 */
import { connect, type Socket } from "node:net";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { EventIds } from "#services/stream/event-ids.ts";
import type { CrowdOrder, CrowdReport } from "./crowd.ts";

const order: CrowdOrder = JSON.parse(process.argv[2] ?? "");
const ids = new EventIds(openInstallationKey(order.dataDir, "").streamSeal());

/** The pause between two attempts to connect, in milliseconds; the server itself asks for 2 s. */
const retryMs = 2_000;
const reportMs = 50;
/** The most characters of one event. */
const maxPending = 1024 * 1024;

const own = Object.entries(order.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
const ports = [order.port, ...(order.others ?? [])];

function request(port: number, lastEventId: string): string {
	const head = `GET ${order.path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${own.join("")}`;
	return `${head}${lastEventId && `Last-Event-ID: ${lastEventId}\r\n`}\r\n`;
}

class Reader {
	seen = 0;
	isOpen = false;
	connects = 0;
	refusals = 0;
	/** The first unexpected observation. */
	fault = "";
	#lastEventId = "";
	#pending = "";
	#turn: number;

	/** @param turn The place of its first gateway among the ports. */
	constructor(turn: number) {
		this.#turn = turn;
	}

	connect(): void {
		const port = ports[this.#turn++ % ports.length] ?? order.port;
		const socket = connect(port, "127.0.0.1");
		this.#pending = "";
		socket.on("connect", () => socket.write(request(port, this.#lastEventId)));
		socket.on("data", (chunk) => {
			this.#read(chunk.toString("latin1"));
			if (this.#isRefused) socket.destroy();
		});
		socket.on("error", () => {});
		socket.on("close", () => {
			this.isOpen = false;
			setTimeout(() => this.connect(), retryMs * (0.5 + Math.random()));
		});
	}

	get #isRefused(): boolean {
		if (this.isOpen || !this.#pending.startsWith("HTTP/1.1 503 ")) return false;
		this.refusals++;
		return true;
	}

	/** Reads a chunk; chunks of the body end where events end, so an event is never split. */
	#read(text: string): void {
		const all = this.#pending + text;
		if (!this.isOpen) {
			if (!all.includes("retry:")) {
				this.#pending = all.slice(-maxPending);
				return;
			}
			if (!all.startsWith("HTTP/1.1 200 ")) this.fault ||= `answered ${all.slice(0, 12)}`;
			this.isOpen = true;
			this.connects++;
		}
		let at = 0;
		for (;;) {
			const start = all.indexOf("id: ", at);
			const end = start === -1 ? -1 : all.indexOf("\n\n", start);
			if (end === -1) break;
			this.#event(all, start + 4);
			at = end + 2;
		}
		// The text may end within a mark.
		const mark = all.indexOf("id: ", at);
		this.#pending = mark === -1 ? all.slice(Math.max(at, all.length - 3)) : all.slice(mark);
	}

	#event(text: string, start: number): void {
		const lineEnd = text.indexOf("\n", start);
		const id = text.slice(start, lineEnd);
		const { seq } = ids.read(id);
		if (text.startsWith("event: heartbeat", lineEnd + 1)) {
			if (seq !== this.seen) this.fault ||= `heartbeat ${seq} after ${this.seen}`;
		} else if (!text.startsWith("event: session_", lineEnd + 1)) {
			this.fault ||= `unexpected ${text.slice(start, lineEnd + 30)}`;
		} else if (seq !== this.seen + 1) {
			this.fault ||= `event ${seq} after ${this.seen}`;
		}
		this.seen = seq;
		this.#lastEventId = id;
	}
}

/**
 * A client that sends its request and then reads nothing, or one byte per second. It learns from a failed write that
 * the server has closed the connection.
 */
class Idler {
	isOpen = true;
	readonly #reads: boolean;

	constructor(reads: boolean) {
		this.#reads = reads;
	}

	connect(): void {
		// The buffer of one byte keeps the process from requesting more of the kernel.
		const onread = { buffer: Buffer.alloc(1), callback: () => false };
		const socket: Socket = connect({ port: order.port, host: "127.0.0.1", onread });
		if (!this.#reads) socket.pause();
		socket.on("connect", () => socket.write(request(order.port, "")));
		const tick = setInterval(() => {
			socket.write("\r\n");
			if (this.#reads) socket.resume();
		}, 1_000);
		socket.on("error", () => {});
		socket.on("close", () => {
			this.isOpen = false;
			clearInterval(tick);
		});
	}
}

const readers = Array.from({ length: order.readers }, (_, index) => new Reader(index));
const idlers = Array.from({ length: order.deaf + order.trickling }, (_, index) => new Idler(index >= order.deaf));
for (const client of [...readers, ...idlers]) client.connect();

setInterval(() => {
	const numbers = readers.map(({ seen }) => seen);
	const report: CrowdReport = {
		open: readers.filter(({ isOpen }) => isOpen).length,
		idleOpen: idlers.filter(({ isOpen }) => isOpen).length,
		slowest: Math.min(...numbers),
		fastest: Math.max(...numbers),
		reconnects: readers.reduce((sum, { connects }) => sum + Math.max(0, connects - 1), 0),
		refused: readers.filter(({ refusals }) => refusals > 0).length,
		faults: readers.map(({ fault }) => fault).filter((fault) => fault !== ""),
	};
	process.send?.(report);
}, reportMs);

process.on("disconnect", () => process.exit());
