/** A process full of clients of the event stream, and what it says of them. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { projectRoot } from "#shared/project-root.ts";
import { eventually, type EventuallyOptions } from "../eventually.ts";

export interface CrowdOrder {
	readonly port: number;
	/** Of the stream. */
	readonly path: string;
	/** Clients that read, and come back when they are cut off. */
	readonly readers: number;
	/** Clients that never read. */
	readonly deaf: number;
	/** Clients that read one byte a second. */
	readonly trickling: number;
}

export interface CrowdReport {
	/** Readers that are connected and answered. */
	readonly open: number;
	/** Clients that never read, or hardly, and are still connected. */
	readonly idleOpen: number;
	/** Number of the newest event that every reader has seen. */
	readonly slowest: number;
	/** Number of the newest event that any reader has seen. */
	readonly fastest: number;
	readonly reconnects: number;
	/** Readers that were told at least once that there is no room; they come back. */
	readonly refused: number;
	/** An event that was missed, came twice or should not have come; one sentence a reader. */
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

	/** Resolves when a report is as wanted. @throws {Error} that tells the last one. */
	async until(accepts: (report: CrowdReport) => boolean, options: EventuallyOptions = {}): Promise<void> {
		await eventually(() => accepts(this.report), options).catch((cause: unknown) => {
			throw new Error(`The crowd is at ${JSON.stringify(this.report).slice(0, 500)}`, { cause });
		});
	}

	/** SIGSTOP: nobody reads, nobody leaves. */
	freeze(): void {
		this.#child.kill("SIGSTOP");
	}

	/** SIGCONT. */
	thaw(): void {
		this.#child.kill("SIGCONT");
	}

	/** All its sockets are gone when it resolves. */
	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
		const ended = once(this.#child, "exit");
		this.#child.kill("SIGKILL");
		await ended;
	}
}
