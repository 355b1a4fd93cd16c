/**
 * Writes positions in the event log as ids for clients, and reads them again. All tenants share one log, so its numbers would
 * tell everybody how much happens in all of them. An id therefore has the number in one block of AES-256, which only
 * processes with the key of the installation can read; they all write and read the same ids.
 * @example
 * ```ts
 * const ids = new EventIds(key.streamSeal());
 * ids.ofEvent({ epoch: "5f3a90c1", seq: 7 }); // 5f3a90c1-s9Yw1…, 22 characters behind the "s"
 * ```
 */
import {
	type Cipheriv,
	createCipheriv,
	createDecipheriv,
	createHash,
	type Decipheriv,
	randomFillSync,
} from "node:crypto";

/** The number of an event counts within its epoch only. */
export interface EventPosition {
	readonly epoch: string;
	readonly seq: number;
}

/** The parts of a block, in bytes: the number, what makes two ids of one number differ, and the proof. */
const numberBytes = 6;
const saltBytes = 4;
const proofBytes = 6;
const saltAt = numberBytes;
const proofAt = numberBytes + saltBytes;

/** No salt: all gateways write the same id of an event. */
const unsalted = Buffer.alloc(saltBytes);

const sealedForm = /^(.{1,100})-s([\w-]{22})$/;

/** An id that nobody has written is a position in no epoch. */
const unknown: EventPosition = { epoch: "", seq: 0 };

/** Seals positions with one key. */
export class EventIds {
	/** A block is encrypted alone (ECB), because no two different positions have the same block. */
	readonly #sealing: Cipheriv;
	readonly #opening: Decipheriv;
	readonly #block = Buffer.alloc(numberBytes + saltBytes + proofBytes);
	#epoch = "";
	#proof = proofOf("");

	/** @param key 32 bytes. */
	constructor(key: Buffer) {
		this.#sealing = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
		this.#opening = createDecipheriv("aes-256-ecb", key, null).setAutoPadding(false);
	}

	/** Returns the id of an event, which is the same in every process. */
	ofEvent(position: EventPosition): string {
		return this.#write(position, unsalted);
	}

	/**
	 * Returns an id of a moment, e.g. of a heartbeat. It is another one each time, so that nobody learns from two of them
	 * whether the log has grown between.
	 */
	ofMoment(position: EventPosition): string {
		return this.#write(position, randomFillSync(Buffer.alloc(saltBytes)));
	}

	/** Reads the position that a client has seen from its `Last-Event-ID`; any other text gives a position in no epoch. */
	read(lastEventId: string): EventPosition {
		const [, epoch = "", sealed] = sealedForm.exec(lastEventId) ?? [];
		return sealed === undefined ? unknown : this.#open(epoch, sealed);
	}

	#write({ epoch, seq }: EventPosition, salt: Buffer): string {
		this.#block.writeUIntBE(seq, 0, numberBytes);
		salt.copy(this.#block, saltAt);
		this.#proofFor(epoch).copy(this.#block, proofAt);
		return `${epoch}-s${this.#sealing.update(this.#block).toString("base64url")}`;
	}

	/** A block that was changed, or is of another epoch or key, has no proof. */
	#open(epoch: string, sealed: string): EventPosition {
		const block = this.#opening.update(Buffer.from(sealed, "base64url"));
		if (!block.subarray(proofAt).equals(proofOf(epoch))) return unknown;
		return { epoch, seq: block.readUIntBE(0, numberBytes) };
	}

	#proofFor(epoch: string): Buffer {
		if (epoch === this.#epoch) return this.#proof;
		this.#epoch = epoch;
		this.#proof = proofOf(epoch);
		return this.#proof;
	}
}

function proofOf(epoch: string): Buffer {
	return createHash("sha256").update(epoch).digest().subarray(0, proofBytes);
}
