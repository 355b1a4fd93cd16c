/**
 * Reads an archive, entry by entry, and compares it with its manifest. An archive may come from anybody: lines have a
 * bound, and nothing is believed of it.
 */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { compileSchema } from "#shared/base/schema/validator.ts";
import {
	ArchiveError,
	type ArchiveHeader,
	type ArchiveManifest,
	archiveVersion,
	headerFields,
	manifestFields,
	maxArchiveBytes,
	maxLineBytes,
} from "./archive-format.ts";
import { isSameSums, RunningSums } from "./section-sums.ts";

type Take = (section: string, value: unknown) => Promise<void> | void;

/** The first and the last line of an archive. */
export interface ArchiveEnds {
	readonly header: ArchiveHeader;
	readonly manifest: ArchiveManifest;
}

/**
 * Reads the whole file, whose entries `take` gets. @throws {ArchiveError} when it is no archive, is cut off, was
 * changed, or is of an unknown version.
 */
export async function readArchive(path: string, take: Take): Promise<ArchiveEnds> {
	const reading = new Reading(take);
	let number = 0;
	for await (const line of linesOf(path)) await reading.take(line, ++number);
	return reading.end();
}

class Reading {
	readonly #take: Take;
	readonly #sections = new Map<string, RunningSums>();
	#section = "";
	#header: ArchiveHeader | undefined;
	#manifest: ArchiveManifest | undefined;

	constructor(take: Take) {
		this.#take = take;
	}

	async take(line: string, number: number): Promise<void> {
		const [section, value] = partsOf(line, number);
		if (this.#manifest) throw new ArchiveError(`Line ${number} is behind the end of the archive`);
		if (number === 1) this.#header = headerOf(section, value);
		else if (section === "manifest") this.#manifest = this.#compared(manifestOf(value));
		else {
			this.#sumsOf(section, number).add(`${line}\n`);
			await this.#take(section, value);
		}
	}

	/** @throws {ArchiveError} when the manifest did not come. */
	end(): ArchiveEnds {
		if (!this.#header || !this.#manifest) throw new ArchiveError("The archive is cut off: it has no manifest");
		return { header: this.#header, manifest: this.#manifest };
	}

	#sumsOf(section: string, number: number): RunningSums {
		const known = this.#sections.get(section);
		if (known && section === this.#section) return known;
		if (known) throw new ArchiveError(`Line ${number} begins the section "${section}" again`);
		const sums = new RunningSums();
		this.#sections.set(section, sums);
		this.#section = section;
		return sums;
	}

	#compared(manifest: ArchiveManifest): ArchiveManifest {
		const named = new Map(Object.entries(manifest.sections));
		for (const [name, sums] of this.#sections) {
			const wanted = named.get(name);
			if (!wanted || !isSameSums(wanted, sums.end())) throw new ArchiveError(`The archive was changed in "${name}"`);
		}
		const lost = [...named].find(([name, { entries }]) => entries > 0 && !this.#sections.has(name));
		if (lost) throw new ArchiveError(`The archive was changed: it lacks "${lost[0]}"`);
		return manifest;
	}
}

/** Returns the lines without their line feeds. */
async function* linesOf(path: string): AsyncGenerator<string> {
	let parts: Buffer[] = [];
	let length = 0;
	let total = 0;
	for await (const chunk of bytesOf(path)) {
		total += chunk.length;
		if (total > maxArchiveBytes) throw new ArchiveError(`The archive has more than ${maxArchiveBytes} bytes`);
		let from = 0;
		for (let to = chunk.indexOf(10); to !== -1; to = chunk.indexOf(10, from)) {
			yield Buffer.concat([...parts, chunk.subarray(from, to)]).toString("utf8");
			[parts, length, from] = [[], 0, to + 1];
		}
		parts.push(chunk.subarray(from));
		length += chunk.length - from;
		if (length > maxLineBytes) throw new ArchiveError(`A line of the archive has more than ${maxLineBytes} bytes`);
	}
	if (length > 0) throw new ArchiveError("The archive is cut off in the middle of a line");
}

async function* bytesOf(path: string): AsyncGenerator<Buffer> {
	const source = createReadStream(path);
	const gunzip = createGunzip();
	source.on("error", (error) => gunzip.destroy(error));
	try {
		for await (const chunk of source.pipe(gunzip)) yield chunk as Buffer;
	} catch (cause) {
		throw unreadable(path, cause);
	} finally {
		source.destroy();
		gunzip.destroy();
	}
}

function unreadable(path: string, cause: unknown): unknown {
	const { code, message } = cause as NodeJS.ErrnoException;
	if (cause instanceof ArchiveError || code === undefined) return cause;
	const reason =
		code === "Z_BUF_ERROR" ? "it is cut off" : code.startsWith("Z_") ? `it was changed (${message})` : message;
	return new ArchiveError(`Cannot read the archive "${path}": ${reason}`, { cause });
}

function partsOf(line: string, number: number): readonly [string, unknown] {
	try {
		const value: unknown = JSON.parse(line);
		if (Array.isArray(value) && value.length === 2 && typeof value[0] === "string") return [value[0], value[1]];
	} catch {
		// The sentence below names the line.
	}
	throw new ArchiveError(`Line ${number} is no part of an archive`);
}

const headerFailures = compileSchema(headerFields);
const manifestFailures = compileSchema(manifestFields);

function headerOf(kind: string, value: unknown): ArchiveHeader {
	if (kind !== "archive" || !isJsonObject(value)) throw new ArchiveError("This is no archive of Atelier");
	const { version } = value;
	if (typeof version === "number" && version !== archiveVersion)
		throw new ArchiveError(
			`The archive has the form ${version}, and this release reads ${archiveVersion}; use the release that wrote it`,
		);
	if (headerFailures(value).length > 0) throw new ArchiveError("This is no archive of Atelier");
	return value as unknown as ArchiveHeader;
}

function manifestOf(value: unknown): ArchiveManifest {
	if (!isJsonObject(value) || manifestFailures(value).length > 0)
		throw new ArchiveError("The manifest of the archive was changed");
	return value as unknown as ArchiveManifest;
}
