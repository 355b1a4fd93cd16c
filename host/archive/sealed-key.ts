/**
 * The installation key in an archive, sealed by a passphrase: scrypt (RFC 7914) derives the key that seals it.
 * The costs are part of the archive's version and not of the archive, so that no archive chooses them.
 */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { randomBytes, scryptSync } from "node:crypto";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { TextSeal } from "#shared/base/secrets/sealed-text.ts";
import { ArchiveError } from "./archive-format.ts";

/** Each guess needs 64 MB. */
const costs = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 } as const;
const purpose = "atelier archive installation key";
const saltBytes = 16;

/** The fewest characters of a passphrase. */
export const minPassphrase = 12;

/** The salt is in base64. */
const fields = schema({ salt: { type: "string", max: 100 }, sealed: { type: "string", max: 1_000 } });
export type SealedKey = Output<typeof fields>;

const failures = compileSchema(fields);

export function sealKey(key: string, passphrase: string): SealedKey {
	const salt = randomBytes(saltBytes).toString("base64");
	return { salt, sealed: sealOf(passphrase, salt).seal(key, purpose) };
}

/** Returns the key. @throws {ArchiveError} for another passphrase, and for an entry that was changed. */
export function openKey({ salt, sealed }: SealedKey, passphrase: string): string {
	const seal = sealOf(passphrase, salt);
	// A text that nobody has sealed would be returned as it is.
	if (!seal.isCurrent(sealed)) throw wasChanged();
	try {
		return seal.open(sealed, purpose);
	} catch (cause) {
		throw new ArchiveError("The passphrase does not open the installation key of the archive", { cause });
	}
}

/** Returns the entry of an archive. @throws {ArchiveError} for another form. */
export function sealedKeyOf(value: unknown): SealedKey {
	if (!isJsonObject(value) || failures(value).length > 0) throw wasChanged();
	return value as unknown as SealedKey;
}

function wasChanged(): ArchiveError {
	return new ArchiveError("The installation key of the archive was changed");
}

function sealOf(passphrase: string, salt: string): TextSeal {
	const key = scryptSync(passphrase.normalize("NFC"), Buffer.from(salt, "base64"), 32, costs);
	return new TextSeal(key.toString("base64"));
}
