/** A server of events with many clients. */
import { setTimeout as pause } from "node:timers/promises";
import type { SinkOrder, SinkReport } from "./sse-sink.ts";
import { cpuMicros } from "./process-cost.ts";
import { Program } from "./program.ts";

interface Served {
	readonly port: number;
	readonly path: string;
}

/** The throughput of a server under full load. */
export interface Saturation {
	readonly deliveriesPerSecond: number;
	readonly cpuMicrosPerDelivery: number;
}

const askMs = 5;
const clients = 1_000;
const measuring = 100;
/** The time limit in milliseconds, longer than the slowest server needs for the events under way. */
const patienceMs = 120_000;

/** A measured server with its clients; its owner disposes of it. */
export class StreamSubject implements AsyncDisposable {
	readonly #server: Program<Served>;
	readonly #sink: Program<object>;
	readonly #maxUnderWay: number;
	#sent = 0;

	private constructor(server: Program<Served>, sink: Program<object>, maxUnderWay: number) {
		this.#server = server;
		this.#maxUnderWay = maxUnderWay;
		this.#sink = sink;
	}

	/**
	 * Starts the server and the clients.
	 * @param file A program of this folder that serves events.
	 * @param maxUnderWay The events that may be on their way to the slowest client: enough to keep the server busy.
	 */
	static async open(file: string, maxUnderWay: number): Promise<StreamSubject> {
		const server = await Program.start<Served>(file, {});
		const order: SinkOrder = { ...server.ready, clients, measuring };
		const subject = new StreamSubject(server, await Program.start<object>("./sse-sink.ts", order), maxUnderWay);
		await subject.#until(({ open }) => open === clients);
		return subject;
	}

	get pid(): number {
		return this.#server.pid;
	}

	/** Sends as many events as the server can deliver. */
	async saturate(seconds: number): Promise<Saturation> {
		const first = await this.#report();
		const cpu = cpuMicros(this.pid);
		const began = performance.now();
		let last = first;
		while (performance.now() - began < seconds * 1_000) {
			this.#send(this.#maxUnderWay - (this.#sent - last.slowest));
			last = await this.#report();
		}
		const elapsed = (performance.now() - began) / 1_000;
		const delivered = last.delivered - first.delivered;
		const result = {
			deliveriesPerSecond: delivered / elapsed,
			cpuMicrosPerDelivery: (cpuMicros(this.pid) - cpu) / delivered,
		};
		await this.#until(({ slowest }) => slowest === this.#sent);
		return result;
	}

	/** Sends events at an even rate; resolves to their delays in milliseconds. */
	async steady(perSecond: number, seconds: number): Promise<number[]> {
		const latencies: number[] = [];
		const began = performance.now();
		const first = this.#sent;
		while (this.#sent - first < perSecond * seconds) {
			const due = Math.floor(((performance.now() - began) / 1_000) * perSecond) - (this.#sent - first);
			this.#send(due);
			latencies.push(...(await this.#report()).latencies);
		}
		await this.#until(({ slowest }) => slowest === this.#sent);
		return latencies;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#sink[Symbol.asyncDispose]();
		await this.#server[Symbol.asyncDispose]();
	}

	async #report(): Promise<SinkReport> {
		await pause(askMs);
		const report = this.#sink.next<SinkReport>();
		this.#sink.send({});
		return report;
	}

	#send(events: number): void {
		if (events <= 0) return;
		this.#sent += events;
		this.#server.send({ events });
	}

	async #until(accepts: (report: SinkReport) => boolean): Promise<void> {
		const end = performance.now() + patienceMs;
		for (;;) {
			const report = await this.#report();
			if (accepts(report)) return;
			if (performance.now() > end)
				throw new Error(`Of ${this.#sent} events came ${JSON.stringify({ ...report, latencies: [] })}`);
		}
	}
}
