/**
 * Encrypts texts that are stored in files and documents with AES-256-GCM (NIST SP 800-38D). The place of a text is part
 * of what is authenticated, so one that was moved to another place, or changed, is refused.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;
const head = "atelier-sealed-1:";

/** The text cannot be decrypted. The message has nothing of it. */
class SealError extends Error {
	override readonly name = "SealError";
}

/** Encrypts with one key; undefined stands for no encryption. */
export class TextSeal {
	readonly #key: Buffer | undefined;

	/** @param key 32 bytes in base64 or base64url; empty or absent: nothing is encrypted. @throws {RangeError} */
	constructor(key: string | undefined) {
		this.#key = key ? readKey(key) : undefined;
	}

	seal(text: string, place: string): string {
		if (!this.#key) return text;
		const iv = randomBytes(ivBytes);
		const cipher = createCipheriv(algorithm, this.#key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(place));
		const sealed = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
		return head + sealed.toString("base64");
	}

	/** Whether a stored text has the form that {@link seal} would give it now. */
	isCurrent(text: string): boolean {
		return text.startsWith(head) === (this.#key !== undefined);
	}

	/** Returns the text. One that was stored before there was a key is returned as it is. @throws {SealError} */
	open(text: string, place: string): string {
		if (!text.startsWith(head)) return text;
		if (!this.#key) throw new SealError("it is encrypted and there is no key");
		const sealed = Buffer.from(text.slice(head.length), "base64");
		try {
			const iv = sealed.subarray(0, ivBytes);
			const opener = createDecipheriv(algorithm, this.#key, iv, { authTagLength: tagBytes })
				.setAAD(Buffer.from(place))
				.setAuthTag(sealed.subarray(-tagBytes));
			return Buffer.concat([opener.update(sealed.subarray(ivBytes, -tagBytes)), opener.final()]).toString("utf8");
		} catch (cause) {
			throw new SealError("it was encrypted with another key, or was changed", { cause });
		}
	}
}

function readKey(text: string): Buffer {
	const key = Buffer.from(text, "base64");
	if (/^[\w+/-]{43}=?$/.test(text) && key.length === keyBytes) return key;
	throw new RangeError("Cannot use this encryption_key: it must be 32 bytes in base64 or base64url");
}
