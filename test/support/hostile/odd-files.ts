/** The objects that a hostile program puts in the place of a file that others read or write. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
	closeSync,
	constants,
	mkdirSync,
	openSync,
	readdirSync,
	rmSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

const hugeBytes = 8 * 1024 ** 3;

/** The kinds of objects; each function creates one at the path. */
export const oddFiles: Readonly<Record<string, (path: string) => void | Promise<void>>> = {
	"a pipe": makePipe,
	"a link to a pipe": (path) => {
		makePipe(`${path}.end`);
		symlinkSync(`${path}.end`, path);
	},
	"a link to a file without an end": (path) => symlinkSync("/dev/zero", path),
	"a link to itself": (path) => symlinkSync(path, path),
	"a huge file": (path) => {
		writeFileSync(path, "");
		truncateSync(path, hugeBytes);
	},
	"a folder": (path) => mkdirSync(path),
	"a socket": makeSocket,
};

/** Creates an object after removing anything with its name. */
export async function putOdd(kind: string, path: string): Promise<void> {
	rmSync(path, { recursive: true, force: true });
	await oddFiles[kind]?.(path);
}

function makePipe(path: string): void {
	execFileSync("mkfifo", [path]);
}

/** Creates a socket, which remains when nobody listens any more; its path has 107 characters at most. */
async function makeSocket(path: string): Promise<void> {
	const server = createServer().listen({ path });
	await once(server, "listening");
	rmSync(`${path}.kept`, { force: true });
	execFileSync("ln", [path, `${path}.kept`]);
	server.close();
	await once(server, "close");
	execFileSync("mv", [`${path}.kept`, path]);
}

/** Ends all waits for the other end of a pipe in or below the folder, so that a failed test ends. */
export function releasePipes(folder: string): void {
	for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
		if (!entry.isFIFO()) continue;
		closeSync(openSync(join(entry.parentPath, entry.name), constants.O_RDWR | constants.O_NONBLOCK));
	}
}
