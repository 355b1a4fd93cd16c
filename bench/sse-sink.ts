/**
 * A program with many clients of an event stream on bare sockets. It counts the events of each client, and measures the
 * delay of each event for some clients: the event's data begins with `{"at":<nanoseconds of the monotonic clock>,`.
 */
import { connect } from "node:net";
import { order, report } from "./program.ts";

/** The clients to open. */
export interface SinkOrder {
	readonly port: number;
	readonly path: string;
	/** The headers of the clients, e.g. their login. Default: none. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly clients: number;
	/** The count of clients that measure delays. */
	readonly measuring: number;
}

/** The counts since the start and the delays since the preceding report. */
export interface SinkReport {
	readonly open: number;
	/** The events that the slowest client has received. */
	readonly slowest: number;
	/** The events that all clients have received together. */
	readonly delivered: number;
	/** The delays since the preceding report in milliseconds. */
	readonly latencies: readonly number[];
}

const { port, path, headers = {}, clients, measuring } = order<SinkOrder>();
/** The most delays of a report, so that a burst of events does not cause a large report. */
const maxLatencies = 20_000;
const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${own.join("")}\r\n`;
const mark = Buffer.from('{"at":');

class Sink {
	seen = 0;
	isOpen = false;
	readonly #measures: boolean;
	/** The end of the preceding chunk, in which a mark may have begun. */
	#tail = "";

	constructor(measures: boolean) {
		this.#measures = measures;
		const buffer = Buffer.allocUnsafe(measures ? 262_144 : 65_536);
		const socket = connect({
			port,
			host: "127.0.0.1",
			onread: { buffer, callback: (bytes) => this.#read(buffer.subarray(0, bytes)) },
		});
		socket.on("connect", () => socket.write(request));
		socket.on("error", () => {});
		socket.on("close", () => (this.isOpen = false));
	}

	#read(chunk: Buffer): boolean {
		this.isOpen = true;
		if ((this.#tail + chunk.toString("latin1", 0, mark.length - 1)).includes(String(mark))) this.seen++;
		const end = chunk.toString("latin1", Math.max(0, chunk.length - mark.length + 1));
		this.#tail = (this.#tail + end).slice(1 - mark.length);
		for (let at = chunk.indexOf(mark); at !== -1; at = chunk.indexOf(mark, at + mark.length)) {
			this.seen++;
			if (this.#measures) this.#measure(chunk, at + mark.length);
		}
		return true;
	}

	/** Measures an event. One that ends in the next chunk is counted and not measured. */
	#measure(chunk: Buffer, start: number): void {
		const end = chunk.indexOf(0x2c, start);
		if (end === -1 || latencies.length >= maxLatencies) return;
		latencies.push(Number(process.hrtime.bigint() - BigInt(chunk.toString("latin1", start, end))) / 1e6);
	}
}

let latencies: number[] = [];
const sinks = Array.from({ length: clients }, (_, index) => new Sink(index < measuring));

/** The program reports on request, so that no report is older than the request. */
process.on("message", () => {
	const report: SinkReport = {
		open: sinks.filter(({ isOpen }) => isOpen).length,
		slowest: Math.min(...sinks.map(({ seen }) => seen)),
		delivered: sinks.reduce((sum, { seen }) => sum + seen, 0),
		latencies,
	};
	latencies = [];
	process.send?.(report);
});
report({});
