/** Decides with which installation key an archive is restored: what it has sealed is lost to every other one. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { keyPrint } from "#shared/base/secrets/keys.ts";
import { ArchiveError } from "./archive-format.ts";
import { type Installation, keyFile } from "./installation.ts";

/** The key of an archive, as far as it is known. */
interface ArchivedKey {
	/** The fingerprint; absent: the store had none, and no key was there. */
	readonly print: string | undefined;
	/** Whether the key is in it, sealed. */
	readonly isSealed: boolean;
	/** The key, when it is to be restored and a passphrase has opened it. */
	readonly opened: string | undefined;
}

const option =
	"or give --without-key: then secrets of users, tokens and the audit log cannot be read or checked any more";

/**
 * Returns the key of the installation after the restore; a new one only when the person gives up the archive's.
 * @throws {ArchiveError} when another key than the archive's would be in use without that wish.
 */
export function settledKey(place: Installation, archived: ArchivedKey, withoutKey: boolean): string {
	const { isSealed, opened } = archived;
	const key = opened ?? keyOf(place);
	if (withoutKey) return key ?? randomBytes(32).toString("base64url");
	const remedy = isSealed ? "give its passphrase with --passphrase-file" : `put the key of that installation there`;
	if (key === undefined)
		throw new ArchiveError(`There is no installation key in "${keyFile(place)}": ${remedy}, ${option}`);
	const answer = isKeyOf(archived, key);
	if (answer === "yes") return key;
	const sentence = `${whereOf(place)} is ${answer === "no" ? "not" : "perhaps not"} that of the archive`;
	throw new ArchiveError(`${sentence}: ${remedy}, ${option}`);
}

/** Nobody can compare a key that an archive without fingerprint has sealed. */
function isKeyOf({ print, isSealed, opened }: ArchivedKey, key: string): "yes" | "no" | "unknown" {
	if (print !== undefined) return print === keyPrint(key) ? "yes" : "no";
	return isSealed && opened === undefined ? "unknown" : "yes";
}

/** Returns the key that is there now; undefined when there is none. */
export function keyOf(place: Installation): string | undefined {
	if (place.configuredKey !== "") return place.configuredKey;
	return existsSync(keyFile(place)) ? readFileSync(keyFile(place), "utf8").trim() : undefined;
}

function whereOf(place: Installation): string {
	return place.configuredKey === "" ? `The installation key "${keyFile(place)}"` : "The configured installation key";
}
