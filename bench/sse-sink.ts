/**
 * A program: many clients of an event stream on bare sockets. It counts the events each has been sent, and of some of
 * them measures how long each event took: the event's data begins with `{"at":<nanoseconds of the monotonic clock>,`.
 */
import { connect } from "node:net";
import { order, report } from "./program.ts";

export interface SinkOrder {
	readonly port: number;
	readonly path: string;
	readonly clients: number;
	/** How many of them measure. */
	readonly measuring: number;
}

export interface SinkReport {
	readonly open: number;
	/** Events the slowest client has. */
	readonly slowest: number;
	/** Events of all clients together. */
	readonly delivered: number;
	/** Milliseconds, since the report before. */
	readonly latencies: readonly number[];
}

const { port, path, clients, measuring } = order<SinkOrder>();
/** What is measured beyond is left out, so that a flood of events is not followed by one of numbers. */
const maxLatencies = 20_000;
const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
const mark = Buffer.from('{"at":');

class Sink {
	seen = 0;
	isOpen = false;
	readonly #measures: boolean;
	/** The end of the chunk before, where a mark may have begun. */
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

	/** An event that ends in the next chunk is counted and not measured. */
	#measure(chunk: Buffer, start: number): void {
		const end = chunk.indexOf(0x2c, start);
		if (end === -1 || latencies.length >= maxLatencies) return;
		latencies.push(Number(process.hrtime.bigint() - BigInt(chunk.toString("latin1", start, end))) / 1e6);
	}
}

let latencies: number[] = [];
const sinks = Array.from({ length: clients }, (_, index) => new Sink(index < measuring));

/** Reports when it is asked, so that no report is older than the question. */
process.on("message", () => {
	const told: SinkReport = {
		open: sinks.filter(({ isOpen }) => isOpen).length,
		slowest: Math.min(...sinks.map(({ seen }) => seen)),
		delivered: sinks.reduce((sum, { seen }) => sum + seen, 0),
		latencies,
	};
	latencies = [];
	process.send?.(told);
});
report({});
