/** Lists the processes, ports and files of a platform's sessions, for comparisons before and after. */
import { type Dirent, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { sessionProcesses } from "../platform/session-processes.ts";

export interface MachineState {
	/** The ids of processes with the installation's marker. */
	processes: number[];
	/** The TCP ports on which those processes listen. */
	ports: number[];
	/**
	 * All files in the data folder except the store, the keys, compiled programs, and files of agents without a
	 * session.
	 */
	files: string[];
}

const excluded = /^(store|keys|cache|run\/\.waiting)(\/|$)/;

export function machineState(installation: string, dataDir: string): MachineState {
	const processes = sessionProcesses(installation).map(({ pid }) => pid);
	const sockets = new Set(processes.flatMap(socketsOf));
	const ports = listening().filter(({ inode }) => sockets.has(inode));
	const files = filesBelow(dataDir).filter((path) => !excluded.test(path));
	return {
		processes: processes.toSorted((a, b) => a - b),
		ports: [...new Set(ports.map(({ port }) => port))].toSorted((a, b) => a - b),
		files: files.toSorted(),
	};
}

/** Returns relative paths; folders may disappear meanwhile. */
function filesBelow(root: string, folder = ""): string[] {
	return entriesOf(join(root, folder)).flatMap((entry) => {
		const path = join(folder, entry.name);
		return entry.isDirectory() ? [path, ...filesBelow(root, path)] : [path];
	});
}

function entriesOf(folder: string): Dirent[] {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
}

/** Returns the inodes of a process's open sockets. */
function socketsOf(pid: number): string[] {
	try {
		const folder = `/proc/${pid}/fd`;
		return readdirSync(folder).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${fd}`))?.[1] ?? []);
	} catch {
		// The process has ended meanwhile.
		return [];
	}
}

function linkOf(path: string): string {
	try {
		return readlinkSync(path);
	} catch {
		return "";
	}
}

/**
 * Reads `/proc/net/tcp` (proc(5)): the local address is field 2, the state field 4 (0A: listening), the inode field 10.
 */
function listening(): { port: number; inode: string }[] {
	return ["tcp", "tcp6"].flatMap((table) =>
		readFileSync(`/proc/net/${table}`, "utf8")
			.split("\n")
			.slice(1)
			.map((line) => line.trim().split(/\s+/))
			.filter((fields) => fields[3] === "0A")
			.map((fields) => ({ port: Number.parseInt(fields[1]?.split(":")[1] ?? "", 16), inode: fields[9] ?? "" })),
	);
}
