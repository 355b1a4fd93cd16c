/** UUIDs that the same name always gives again (version 5, RFC 9562 section 5.5). */
import { createHash } from "node:crypto";

/** The namespace of this product; chosen once, at random. */
const namespace = Buffer.from("0d6b8f0e5a2e4c0fb1d64f7e2f6c9a31", "hex");

/** The parts are kept apart: `["a", "bc"]` and `["ab", "c"]` give different ids. */
export function nameBasedUuid(...parts: readonly string[]): string {
	const bytes = createHash("sha1").update(namespace).update(JSON.stringify(parts)).digest().subarray(0, 16);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
