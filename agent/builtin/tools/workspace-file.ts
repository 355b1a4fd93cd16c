/** Reads and writes the files that a model names. Paths and links that lead outside of the folder are refused. */
import { constants, lstat, mkdir, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { openUntrusted, readUntrusted, UntrustedFileError } from "#shared/base/files/untrusted-file.ts";
import { pathBelow } from "#shared/wire/pod/path-below.ts";
import { ToolFailure } from "./tool-failure.ts";

/** The bound on a file that is read; a command can read a larger one. */
const maxBytes = 10 * 1_048_576;
/** A file with a zero byte among its first bytes is no text. */
const probeBytes = 8_192;

/**
 * Returns the real absolute path of what `path` names or would name.
 * @param path It is relative to the folder, or absolute and below it; "." is the folder itself.
 * @throws {ToolFailure} when the path is, or leads, outside.
 */
export async function pathInside(folder: string, path: string): Promise<string> {
	const root = await realpath(folder);
	const below = [folder, root].map((base) => belowOf(base, path)).find((found) => found !== undefined);
	if (below === undefined) throw outside(path);
	const real = await realPathOf(join(root, below));
	if (real === undefined || (real !== root && belowOf(root, real) === undefined)) throw outside(path);
	return real;
}

/** Returns the text of a file. @throws {ToolFailure} when there is no such file, or when it cannot be read as text. */
export async function readTextFile(path: string): Promise<string> {
	const found = await lstat(path).catch(() => undefined);
	if (!found) throw new ToolFailure(`There is no file "${basename(path)}" in "${dirname(path)}"`);
	if (!found.isFile()) throw new ToolFailure(`"${path}" is not a file`);
	if (found.size > maxBytes) throw new ToolFailure(`"${path}" has ${found.size} bytes, too many to read at once`);
	// The file may have been replaced since it was examined, so it is opened as an untrusted one.
	const content = await readUntrusted(path, maxBytes).catch((error: unknown) => {
		throw error instanceof UntrustedFileError ? new ToolFailure(error.message) : error;
	});
	if (!content) throw new ToolFailure(`There is no file "${basename(path)}" in "${dirname(path)}"`);
	if (content.subarray(0, probeBytes).includes(0)) throw new ToolFailure(`"${path}" is not a text file`);
	return content.toString("utf8");
}

/** Returns undefined when there is no such file. @throws {ToolFailure} */
export async function readTextFileIfThere(path: string): Promise<string | undefined> {
	return (await lstat(path).catch(() => undefined)) ? readTextFile(path) : undefined;
}

/** Creates the missing folders of the path. @throws {ToolFailure} */
export async function writeTextFile(path: string, text: string): Promise<void> {
	const { O_WRONLY, O_CREAT } = constants;
	try {
		await mkdir(dirname(path), { recursive: true });
		const file = await openUntrusted(path, O_WRONLY | O_CREAT, 0o666);
		try {
			await file.truncate(0);
			await file.writeFile(text);
		} finally {
			await file.close();
		}
	} catch (error) {
		throw new ToolFailure(`"${path}" cannot be written: ${error instanceof Error ? error.message : String(error)}`);
	}
}

function belowOf(base: string, path: string): string | undefined {
	if (path.includes("\0")) return undefined;
	const way = relative(base, isAbsolute(path) ? path : resolve(base, path));
	return way === "" ? "." : pathBelow(way);
}

/** Follows links as far as the path exists; returns undefined when a link leads nowhere. */
async function realPathOf(path: string): Promise<string | undefined> {
	const missing: string[] = [];
	for (let at = path; ; at = dirname(at)) {
		if (await lstat(at).catch(() => undefined)) {
			const real = await realpath(at).catch(() => undefined);
			return real && join(real, ...missing);
		}
		if (at === dirname(at)) return undefined;
		missing.unshift(basename(at));
	}
}

function outside(path: string): ToolFailure {
	return new ToolFailure(`"${path}" is outside of the session's folder; file tools stay inside of it`);
}
