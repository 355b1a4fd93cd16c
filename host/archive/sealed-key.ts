/**
 * The installation key in an archive, sealed by a passphrase: scrypt (RFC 7914) derives a key, and AES-256-GCM seals.
 * The costs are part of the archive's version and not of the archive, so that no archive chooses them.
 */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";
import { ArchiveError, isRecord } from "./archive-format.ts";

/** Each guess needs 64 MB. */
const costs = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 } as const;
const purpose = Buffer.from("atelier archive installation key");
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/** The fewest characters of a passphrase. */
export const minPassphrase = 12;

/** The entry of the section with the key. */
export interface SealedKey {
	/** Salt, nonce, tag and sealed text in base64. */
	readonly sealed: string;
}

export function sealKey(key: string, passphrase: string): SealedKey {
	const salt = randomBytes(saltBytes);
	const nonce = randomBytes(nonceBytes);
	const cipher = createCipheriv("aes-256-gcm", derived(passphrase, salt), nonce).setAAD(purpose);
	const text = Buffer.concat([cipher.update(key, "utf8"), cipher.final()]);
	return { sealed: Buffer.concat([salt, nonce, cipher.getAuthTag(), text]).toString("base64") };
}

/** Returns the key. @throws {ArchiveError} for another passphrase, and for an entry that was changed. */
export function openKey(value: unknown, passphrase: string): string {
	const sealed = Buffer.from(sealedText(value), "base64");
	const salt = sealed.subarray(0, saltBytes);
	const nonce = sealed.subarray(saltBytes, saltBytes + nonceBytes);
	const tag = sealed.subarray(saltBytes + nonceBytes, saltBytes + nonceBytes + tagBytes);
	const text = sealed.subarray(saltBytes + nonceBytes + tagBytes);
	try {
		const cipher = createDecipheriv("aes-256-gcm", derived(passphrase, salt), nonce, { authTagLength: tagBytes });
		cipher.setAAD(purpose).setAuthTag(tag);
		return Buffer.concat([cipher.update(text), cipher.final()]).toString("utf8");
	} catch (cause) {
		throw new ArchiveError("The passphrase does not open the installation key of the archive", { cause });
	}
}

/** Returns the text of the entry. @throws {ArchiveError} for another form. */
export function sealedText(value: unknown): string {
	const { sealed } = isRecord(value) ? value : {};
	if (typeof sealed !== "string" || sealed.length > 1_000)
		throw new ArchiveError("The installation key of the archive was changed");
	return sealed;
}

function derived(passphrase: string, salt: Buffer): Buffer {
	return scryptSync(passphrase.normalize("NFC"), salt, 32, costs);
}
