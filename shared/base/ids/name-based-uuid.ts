/** Makes UUIDs from names: the same name always gives the same UUID (version 5, RFC 9562 section 5.5). */
import { createHash } from "node:crypto";

/** The random namespace of this product. It must never change. */
const namespace = Buffer.from("0d6b8f0e5a2e4c0fb1d64f7e2f6c9a31", "hex");

/** Returns the UUID of a list of parts; `["a", "bc"]` and `["ab", "c"]` give different ids. */
export function nameBasedUuid(...parts: readonly string[]): string {
	const bytes = createHash("sha1").update(namespace).update(JSON.stringify(parts)).digest().subarray(0, 16);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
