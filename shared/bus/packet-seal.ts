/**
 * The seal of what travels between processes: who does not have the installation's key can neither make a packet, nor
 * change one, nor send one again, nor to somebody else, nor later. A sealed packet is
 *
 *     signature (32: HMAC-SHA-256 over topic, NUL and all that follows) | sealed at (8: ms since 1970) | sender (8) | number (8) | data
 *
 * big-endian. Every sender, i.e. every start of a process, has a name of its own and counts its packets from 1.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import { now } from "../clock.ts";
import { SeenNumbers } from "./seen-numbers.ts";

/** How long a packet may be under way. */
export const lifetimeMs = 10_000;
/** By this much the clocks of two processes may differ. */
export const clockToleranceMs = 5_000;

const signatureBytes = 32;
const headBytes = signatureBytes + 24;

/** A packet that is not believed; the message is a sentence for the log. */
export class SealError extends Error {
	override readonly name = "SealError";
}

export class PacketSeal {
	/** Made once: from bytes, the engine makes one for every signature, which costs five times the signature. */
	readonly #key: KeyObject;
	readonly #sender = randomBytes(8);
	#sent = 0n;
	/** By the names of their senders. */
	readonly #seen = new Map<string, SeenNumbers>();

	constructor(key: Buffer) {
		this.#key = createSecretKey(key);
	}

	/** @param topic Where the packet goes; it is believed nowhere else. */
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
	 * What was sealed, once.
	 * @param topics Where packets reach this process that may be meant.
	 * @throws {SealError}
	 */
	open(topics: readonly string[], packet: Buffer): Buffer {
		const signature = packet.subarray(0, signatureBytes);
		const sealed = packet.subarray(signatureBytes);
		const isGenuine =
			packet.length >= headBytes && topics.some((topic) => timingSafeEqual(this.#sign(topic, sealed), signature));
		if (!isGenuine) throw new SealError("It was not sealed with this installation's key, or not for this process");
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

	/** Those of senders nobody has heard of for so long that their packets are too old are forgotten. */
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
