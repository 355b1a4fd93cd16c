/**
 * Brings a client from where it left the stream to its newest event: by what it missed or, when that cannot be told
 * any more, by a reset and the present state. No event is lost or sent twice on the way.
 */
import { sleep } from "#shared/clock.ts";
import type { ResetReason } from "#shared/contracts/stream.ts";
import type { LogTail } from "./log-tail.ts";
import type { Snapshots } from "./snapshots.ts";
import type { SseClient } from "./sse-client.ts";
import { join, type EventPosition, resetFrame } from "./sse-frame.ts";

/** A client is sent this much, and more when it has read that. */
const pieceBytes = 64 * 1024;

const againMs = 1_000;

/** The place of a client that nothing is known of. */
export const nowhere: EventPosition = { epoch: "", seq: 0 };

export class CatchUp {
	readonly #tail: LogTail;
	readonly #snapshots: Snapshots;
	readonly #report: (error: unknown) => void;

	/** @param report Told, once a client, why the present state cannot be had; it is asked for again each second. */
	constructor(tail: LogTail, snapshots: Snapshots, report: (error: unknown) => void) {
		this.#tail = tail;
		this.#snapshots = snapshots;
		this.#report = report;
	}

	/** Resolves when the client is live or gone. Between the last look at the tail and `isLive` nothing is awaited. */
	async run(client: SseClient, from: EventPosition): Promise<void> {
		let position = from;
		// Another process may have read further than this one, and told the client.
		if (this.#tail.resetReason(position) === "ahead") await this.#refresh(client);
		while (client.isOpen) {
			if (!this.#tail.isCurrent) {
				await this.#refresh(client);
				continue;
			}
			const reason = this.#tail.resetReason(position);
			if (reason) {
				position = await this.#reset(client, reason);
				continue;
			}
			const piece = this.#tail.after(position, client.audience, pieceBytes);
			if (piece.frames.length === 0) {
				client.isLive = true;
				return;
			}
			await client.sendAndDrain(join(piece.frames));
			position = piece.position;
		}
	}

	async #refresh(client: SseClient): Promise<void> {
		// The tail itself says why it cannot be read.
		await untilDone(
			() => this.#tail.refresh(),
			client.signal,
			() => {},
		);
	}

	/** The position that the client has then; none when it has gone meanwhile. */
	async #reset(client: SseClient, reason: ResetReason): Promise<EventPosition> {
		const snapshot = await untilDone(() => this.#snapshots.take(client.audience), client.signal, this.#report);
		if (!snapshot) return nowhere;
		const { position, frames, more } = snapshot;
		const all = [resetFrame(reason, more, frames.length === 0 ? position : undefined), ...frames];
		for (const piece of pieces(all)) await client.sendAndDrain(join(piece));
		return position;
	}
}

/** In order, each piece about {@link pieceBytes} long. */
function* pieces(frames: readonly Buffer[]): Generator<Buffer[]> {
	let piece: Buffer[] = [];
	let bytes = 0;
	for (const frame of frames) {
		piece.push(frame);
		bytes += frame.length;
		if (bytes < pieceBytes) continue;
		yield piece;
		piece = [];
		bytes = 0;
	}
	if (piece.length > 0) yield piece;
}

/** Tries each second until it succeeds; undefined when the signal aborts first. */
async function untilDone<T>(
	work: () => Promise<T>,
	signal: AbortSignal,
	onFirstFailure: (error: unknown) => void,
): Promise<T | undefined> {
	for (let failures = 0; !signal.aborted; failures++) {
		try {
			return await work();
		} catch (error) {
			if (failures === 0) onFirstFailure(error);
			await sleep(againMs, signal);
		}
	}
	return undefined;
}
