/**
 * The form of an archive: a file of gzip with one JSON array a line. The first line is the header. Each further line names its
 * section and has an entry of it. The last line is the manifest, which has the count and the SHA-256 of each section's lines.
 *
 * `["archive", header]`, `["documents jobs", entry]`, `["files sessions", entry]`, `["manifest", manifest]`
 */

import { type Output, schema } from "#shared/base/schema/schema.ts";

/** The version of the form that this release writes and reads. */
export const archiveVersion = 1;

/** The longest line in bytes; a document of the store has at most a quarter. */
export const maxLineBytes = 64 * 1024 * 1024;

/** The most bytes of all lines, so that a small file cannot occupy a machine for days. */
export const maxArchiveBytes = 2 ** 40;

/** The first line. */
export const headerFields = schema({
	version: { type: "number" },
	/** Everything of an installation, or only the documents of its store. */
	kind: { type: "enum", values: ["backup", "export"] },
	/** The release of the platform that wrote it. */
	release: { type: "string", max: 100 },
	/** ISO 8601, UTC: every write that was acknowledged before is in the archive. */
	since: { type: "string", max: 100, pattern: "^[\\d:.TZ-]+$" },
	/** The fingerprint of the installation key that the documents belong to; absent: unknown. */
	key: { type: "string", pattern: "^[0-9a-f]{16}$", optional: true },
});
export type ArchiveHeader = Output<typeof headerFields>;
export type ArchiveKind = ArchiveHeader["kind"];

const sums = schema({
	entries: { type: "number", integer: true },
	/** SHA-256 over the lines of a section with their line feeds, in hexadecimal digits. */
	sha256: { type: "string" },
});
export type SectionSums = Output<typeof sums>;

/** The last line. */
export const manifestFields = schema({
	sections: { type: "record", key: { type: "string" }, value: { type: "object", props: sums } },
	/** Sentences about what is not in the archive. */
	missing: { type: "array", items: { type: "string" } },
});
export type ArchiveManifest = Output<typeof manifestFields>;

/** A mistake in an archive, or in how it is used; the message is a sentence for the person at the terminal. */
export class ArchiveError extends Error {
	override readonly name = "ArchiveError";
}

/** The names of sections: the documents of a collection, the files of a folder, or the sealed key. */
export const sectionNames = {
	documents: (collection: string) => `documents ${collection}`,
	files: (folder: string) => `files ${folder}`,
	key: "installation key",
} as const;

/** Returns the line of an entry, of the header or of the manifest, with its line feed. */
export function lineOf(section: string, value: unknown): string {
	return `${JSON.stringify([section, value])}\n`;
}
