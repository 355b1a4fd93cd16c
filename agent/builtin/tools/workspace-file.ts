/** Files of the session's folder, as a model names them: never outside of it, whichever links lead there. */
import { constants, lstat, mkdir, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { openUntrusted, readUntrusted, UntrustedFileError } from "#shared/files/untrusted-file.ts";
import { pathBelow } from "#shared/pod/path-below.ts";
import { ToolFailure } from "./tool-failure.ts";

/** Larger files are for commands. */
const maxBytes = 10 * 1_048_576;
/** A file with a zero byte near its beginning is no text. */
const probeBytes = 8_192;

/**
 * The real absolute path of what `path` names or would name.
 * @param path Relative to the folder, or absolute and below it; "." is the folder itself.
 * @throws {ToolFailure} when it is, or leads, outside.
 */
export async function pathInside(folder: string, path: string): Promise<string> {
	const root = await realpath(folder);
	const below = [folder, root].map((base) => belowOf(base, path)).find((found) => found !== undefined);
	if (below === undefined) throw outside(path);
	const real = await realPathOf(join(root, below));
	if (real === undefined || (real !== root && belowOf(root, real) === undefined)) throw outside(path);
	return real;
}

/** Its text. @throws {ToolFailure} when there is no such file, or it is none that can be read as text. */
export async function readTextFile(path: string): Promise<string> {
	const found = await lstat(path).catch(() => undefined);
	if (!found) throw new ToolFailure(`There is no file "${basename(path)}" in "${dirname(path)}"`);
	if (!found.isFile()) throw new ToolFailure(`"${path}" is not a file`);
	if (found.size > maxBytes) throw new ToolFailure(`"${path}" has ${found.size} bytes, too many to read at once`);
	// Whatever it was a moment ago.
	const content = await readUntrusted(path, maxBytes).catch((error: unknown) => {
		throw error instanceof UntrustedFileError ? new ToolFailure(error.message) : error;
	});
	if (!content) throw new ToolFailure(`There is no file "${basename(path)}" in "${dirname(path)}"`);
	if (content.subarray(0, probeBytes).includes(0)) throw new ToolFailure(`"${path}" is not a text file`);
	return content.toString("utf8");
}

/** Undefined when there is none. @throws {ToolFailure} */
export async function readTextFileIfThere(path: string): Promise<string | undefined> {
	return (await lstat(path).catch(() => undefined)) ? readTextFile(path) : undefined;
}

/** Makes the folders it needs. @throws {ToolFailure} */
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

/** Links followed as far as there is something; undefined when a link leads nowhere. */
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
