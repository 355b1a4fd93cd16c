/**
 * The form of an archive: a file of gzip with one JSON array a line. The first line is the header. Each further line names its
 * section and has an entry of it. The last line is the manifest, which has the count and the SHA-256 of each section's lines.
 *
 * `["archive", header]`, `["documents jobs", entry]`, `["files sessions", entry]`, `["manifest", manifest]`
 */

/** The version of the form that this release writes and reads. */
export const archiveVersion = 1;

/** The longest line in bytes; a document of the store has at most a quarter. */
export const maxLineBytes = 64 * 1024 * 1024;

/** The most bytes of all lines, so that a small file cannot occupy a machine for days. */
export const maxArchiveBytes = 2 ** 40;

/** The kind of an archive: everything of an installation, or only the documents of its store. */
export type ArchiveKind = "backup" | "export";

export interface ArchiveHeader {
	readonly version: number;
	readonly kind: ArchiveKind;
	/** The release of the platform that wrote it. */
	readonly release: string;
	/** ISO 8601, UTC: every write that was acknowledged before is in the archive. */
	readonly since: string;
	/** The fingerprint of the installation key that the documents belong to; absent: unknown. */
	readonly key?: string;
}

export interface SectionSums {
	readonly entries: number;
	/** SHA-256 over its lines with their line feeds, in hexadecimal digits. */
	readonly sha256: string;
}

export interface ArchiveManifest {
	readonly sections: Readonly<Record<string, SectionSums>>;
	/** Sentences about what is not in the archive. */
	readonly missing: readonly string[];
}

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

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
