/** Writes the pieces of one answer with the effects of a fault. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";
import type { Fault, Frame } from "./answer.ts";
import type { BilledCall } from "./bill.ts";

export class FrameWriter {
	readonly #response: ServerResponse;
	readonly #head: Record<string, string>;
	readonly #signal: AbortSignal;

	constructor(response: ServerResponse, head: Record<string, string>, signal: AbortSignal) {
		this.#response = response;
		this.#head = head;
		const left = new AbortController();
		response.on("close", () => left.abort());
		this.#signal = AbortSignal.any([signal, left.signal]);
	}

	/** Writes an answer. @param onReported Called when a piece that reports usage has been sent. */
	async write(
		frames: readonly Frame[],
		fault: Fault | undefined,
		onReported: (counts: TokenCounts) => void,
	): Promise<BilledCall["end"]> {
		if (fault?.kind === "stall" && fault.after === undefined) return this.#wait();
		this.#response.writeHead(200, this.#head);
		this.#response.flushHeaders();
		const everyMs = fault?.kind === "slow" ? fault.everyMs : 0;
		for (const { text, reported } of frames.slice(0, countOf(fault))) {
			if (everyMs > 0) await sleep(everyMs, undefined, { signal: this.#signal }).catch(() => {});
			if (this.#signal.aborted) return "left";
			await this.#send(Buffer.from(text));
			if (reported) onReported(reported);
		}
		return this.#end(fault);
	}

	async #end(fault: Fault | undefined): Promise<BilledCall["end"]> {
		if (fault?.kind === "stall") return this.#wait();
		if (fault?.kind === "broken") this.#response.destroy();
		else this.#response.end();
		return fault?.kind === "broken" ? "cut" : "whole";
	}

	/** Sends bytes; resolves when they are on their way or the caller has disconnected. */
	async #send(bytes: Buffer): Promise<void> {
		await new Promise<void>((resolve) => this.#response.write(bytes, () => resolve()));
	}

	/** Waits until the caller disconnects. */
	async #wait(): Promise<"left"> {
		if (!this.#signal.aborted) await once(this.#signal, "abort");
		return "left";
	}
}

/** Returns the count of pieces that are sent; undefined: all. */
function countOf(fault: Fault | undefined): number | undefined {
	return fault?.kind === "stall" || fault?.kind === "broken" ? fault.after : undefined;
}
