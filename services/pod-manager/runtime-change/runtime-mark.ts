/**
 * The mark in the data folder (`host/runtime`) that an engine was proven to confine sessions: a start that may choose a runtime
 * keeps to containers from then on, and a start with another runtime asks this engine what still runs.
 */
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { replaceFile } from "#shared/base/files/replaced-file.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";

/** The engine that was proven last. */
export interface RuntimeMark {
	/** Its Unix socket, or that of its filter. */
	readonly socket: string;
}

const maxBytes = 8_192;
const check = compileSchema({ socket: { type: "string", pattern: "^/[^\\0]+$" } });

export function markFile(dataDir: string): string {
	return join(dataDir, "host", "runtime");
}

/** Returns the mark; undefined when there is none. @throws {Error} for one that cannot be read: nobody knows what it was. */
export async function readMark(dataDir: string): Promise<RuntimeMark | undefined> {
	const file = markFile(dataDir);
	const content = await readUntrusted(file, maxBytes);
	if (content === undefined) return undefined;
	const mark = parsed(content.toString("utf8"));
	if (isMark(mark)) return { socket: mark.socket };
	throw new Error(`The file "${file}" does not name a container engine`);
}

export async function keepMark(dataDir: string, mark: RuntimeMark): Promise<void> {
	const file = markFile(dataDir);
	await mkdir(dirname(file), { recursive: true, mode: 0o700 });
	await replaceFile(file, JSON.stringify(mark));
}

export async function removeMark(dataDir: string): Promise<void> {
	await rm(markFile(dataDir), { force: true });
}

function parsed(text: string): unknown {
	// A proof of an earlier version names no socket.
	if (text === "containers") return { socket: "/var/run/docker.sock" };
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function isMark(value: unknown): value is RuntimeMark {
	return check(value).length === 0;
}
