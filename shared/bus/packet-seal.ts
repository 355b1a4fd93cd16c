/**
 * Seals packets between processes. A party without the installation's key cannot make a packet, change one, repeat one,
 * redirect one or delay one beyond its lifetime. A sealed packet is
 *
 *     signature (32: HMAC-SHA-256 over topic, NUL and all that follows) | sealed at (8: ms since 1970) | sender (8) | number (8) | data
 *
 * in big-endian order. Every start of a process is a sender with a random name, and counts its packets from 1.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import { now } from "#shared/base/clock.ts";
import { SeenNumbers } from "./seen-numbers.ts";

/** The longest time that a packet may be under way, in milliseconds. */
const lifetimeMs = 10_000;
/** The largest difference between the clocks of two processes, in milliseconds. */
const clockToleranceMs = 5_000;

const signatureBytes = 32;
const headBytes = signatureBytes + 24;

/** A packet that is refused; the message is a sentence for the log. */
export class SealError extends Error {
	override readonly name: string = "SealError";
}

/** A packet with another key, or one that was changed on its way. */
export class ForeignSealError extends SealError {
	override readonly name = "ForeignSealError";
}

/** Seals and opens the packets of one process. It remembers the numbers of received packets to refuse repetitions. */
export class PacketSeal {
	/**
	 * The key is an object that is made once: given bytes, Node makes a key object per signature, which costs five
	 * times as much as the signature.
	 */
	readonly #key: KeyObject;
	readonly #sender = randomBytes(8);
	#sent = 0n;
	/** The received numbers by the name of the sender. */
	readonly #seen = new Map<string, SeenNumbers>();

	constructor(key: Buffer) {
		this.#key = createSecretKey(key);
	}

	/** Returns the sealed packet. @param topic The packet's destination; receivers on other topics refuse it. */
	seal(topic: string, data: Buffer): Buffer {
		const packet = Buffer.allocUnsafe(headBytes + data.length);
		packet.writeBigUInt64BE(BigInt(Math.floor(now())), signatureBytes);
		packet.set(this.#sender, signatureBytes + 8);
		packet.writeBigUInt64BE(++this.#sent, signatureBytes + 16);
		packet.set(data, headBytes);
		packet.set(this.#sign(topic, packet.subarray(signatureBytes)));
		return packet;
	}

	/**
	 * Returns the sealed data; a second call with the same packet fails.
	 * @param topics The topics on which packets for this process may arrive.
	 * @throws {SealError}
	 */
	open(topics: readonly string[], packet: Buffer): Buffer {
		const signature = packet.subarray(0, signatureBytes);
		const sealed = packet.subarray(signatureBytes);
		const isGenuine =
			packet.length >= headBytes && topics.some((topic) => timingSafeEqual(this.#sign(topic, sealed), signature));
		if (!isGenuine)
			throw new ForeignSealError("It was not sealed with this installation's key, or not for this process");
		this.#refuseOutOfTime(Number(packet.readBigUInt64BE(signatureBytes)));
		const sender = packet.toString("hex", signatureBytes + 8, signatureBytes + 16);
		if (!this.#numbersOf(sender).add(Number(packet.readBigUInt64BE(signatureBytes + 16)))) {
			throw new SealError("It was sent before");
		}
		return packet.subarray(headBytes);
	}

	#refuseOutOfTime(sealedAt: number): void {
		const age = now() - sealedAt;
		if (age > lifetimeMs + clockToleranceMs) {
			throw new SealError(
				`It was sealed ${seconds(age)} s ago, by the clock of its sender: it was held up, or the clocks of the two machines differ by more than ${seconds(clockToleranceMs)} s`,
			);
		}
		if (age < -clockToleranceMs) {
			throw new SealError(
				`It was sealed ${seconds(-age)} s in the future: the clocks of the two machines differ by more than ${seconds(clockToleranceMs)} s`,
			);
		}
	}

	/** Returns the numbers of a sender. Senders that were silent for longer than the lifetime of packets are removed. */
	#numbersOf(sender: string): SeenNumbers {
		const known = this.#seen.get(sender);
		if (known) return known;
		for (const [name, { quietMs }] of this.#seen) {
			if (quietMs > lifetimeMs + 3 * clockToleranceMs) this.#seen.delete(name);
		}
		const numbers = new SeenNumbers();
		this.#seen.set(sender, numbers);
		return numbers;
	}

	#sign(topic: string, sealed: Buffer): Buffer {
		return createHmac("sha256", this.#key).update(`${topic}\0`).update(sealed).digest();
	}
}

function seconds(ms: number): string {
	return (ms / 1_000).toFixed(0);
}
