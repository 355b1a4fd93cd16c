/**
 * Brings a client from its last position in the stream to the newest event: with the events it missed or, when those
 * are unknown, with a reset and the present state. No event is lost or sent twice.
 */
import { sleep } from "#shared/base/clock.ts";
import type { ResetReason } from "#shared/contracts/stream.ts";
import type { EventPosition } from "./event-ids.ts";
import type { LogTail } from "./log-tail.ts";
import type { Snapshots } from "./snapshots.ts";
import type { SseClient } from "./sse-client.ts";
import { join, resetFrame } from "./sse-frame.ts";

/** The bytes of one piece; the next piece is sent when the client has read it. */
const pieceBytes = 64 * 1024;

const againMs = 1_000;

/** The position of a client without any known position. */
export const nowhere: EventPosition = { epoch: "", seq: 0 };

/** Catches clients up. It has no state of its own beside the tail and the snapshots. */
export class CatchUp {
	readonly #tail: LogTail;
	readonly #snapshots: Snapshots;
	readonly #report: (error: unknown) => void;

	/**
	 * @param report Receives, once per client, the reason why the present state cannot be read; the read is repeated
	 * each second.
	 */
	constructor(tail: LogTail, snapshots: Snapshots, report: (error: unknown) => void) {
		this.#tail = tail;
		this.#snapshots = snapshots;
		this.#report = report;
	}

	/**
	 * Resolves when the client is live or gone. Nothing is awaited between the last check of the tail and the
	 * assignment of `isLive`.
	 */
	async run(client: SseClient, from: EventPosition): Promise<void> {
		let position = from;
		// Another process, which served the client before, may have read further than this one.
		if (this.#tail.resetReason(position, client.audience) === "ahead") await this.#refresh(client);
		while (client.isOpen) {
			if (!this.#tail.isCurrent) {
				await this.#refresh(client);
				continue;
			}
			const reason = this.#tail.resetReason(position, client.audience);
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
		// The tail itself reports why it cannot be read.
		await untilDone(
			() => this.#tail.refresh(),
			client.signal,
			() => {},
		);
	}

	/** Sends a reset and the present state. Returns the client's new position; undefined when it has gone meanwhile. */
	async #reset(client: SseClient, reason: ResetReason): Promise<EventPosition> {
		const snapshot = await untilDone(() => this.#snapshots.take(client.audience), client.signal, this.#report);
		if (!snapshot) return nowhere;
		const { position, id, frames, more } = snapshot;
		const all = [resetFrame(reason, more, frames.length === 0 ? id : undefined), ...frames];
		for (const piece of pieces(all)) await client.sendAndDrain(join(piece));
		return position;
	}
}

/** Joins frames, in order, to pieces of about {@link pieceBytes}. */
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
