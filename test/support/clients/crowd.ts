/** Runs a process with many clients of the event stream, and reads its reports. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually, type EventuallyOptions } from "../eventually.ts";

export interface CrowdOrder {
	readonly port: number;
	/** The ports of further gateways; each client goes to the next one when it reconnects. Default: none. */
	readonly others?: readonly number[];
	/** The data folder of the platform, whose key reads the numbers in ids of events. */
	readonly dataDir: string;
	/** The path of the stream. */
	readonly path: string;
	/** The headers of the clients, e.g. their login. */
	readonly headers?: Readonly<Record<string, string>>;
	/** The count of clients that read, and that reconnect when their connection is closed. */
	readonly readers: number;
	/** The count of clients that never read. */
	readonly deaf: number;
	/** The count of clients that read one byte per second. */
	readonly trickling: number;
}

export interface CrowdReport {
	/** The count of readers that are connected and have an answer. */
	readonly open: number;
	/** The count of connected clients that never read, or hardly do. */
	readonly idleOpen: number;
	/** The number of the newest event that every reader has seen. */
	readonly slowest: number;
	/** The number of the newest event that any reader has seen. */
	readonly fastest: number;
	readonly reconnects: number;
	/** The count of readers that were refused at least once because there was no room; they reconnect. */
	readonly refused: number;
	/** One sentence per reader about a missed, repeated or unexpected event. */
	readonly faults: readonly string[];
}

export class Crowd implements AsyncDisposable {
	readonly #child: ChildProcess;
	report: CrowdReport = { open: 0, idleOpen: 0, slowest: 0, fastest: 0, reconnects: 0, refused: 0, faults: [] };

	constructor(order: CrowdOrder) {
		this.#child = fork(join(projectRoot, "test/support/clients/stream-crowd.ts"), [JSON.stringify(order)]);
		this.#child.on("message", (report: CrowdReport) => {
			this.report = report;
		});
	}

	/** Resolves when a report is accepted. @throws {Error} with the last report. */
	async until(accepts: (report: CrowdReport) => boolean, options: EventuallyOptions = {}): Promise<void> {
		await eventually(() => accepts(this.report), options).catch((cause: unknown) => {
			throw new Error(`The crowd is at ${JSON.stringify(this.report).slice(0, 500)}`, { cause });
		});
	}

	/** Stops the process with SIGSTOP: no client reads or disconnects. */
	freeze(): void {
		this.#child.kill("SIGSTOP");
	}

	/** Continues the process with SIGCONT. */
	thaw(): void {
		this.#child.kill("SIGCONT");
	}

	/** Ends the process; resolves when all its sockets are gone. */
	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
		const ended = once(this.#child, "exit");
		this.#child.kill("SIGKILL");
		await ended;
	}
}
