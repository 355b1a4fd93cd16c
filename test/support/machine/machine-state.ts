/** What a platform's sessions hold of the machine: processes, ports and files; for comparing before and after. */
import { type Dirent, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { sessionProcesses } from "../platform/session-processes.ts";

export interface MachineState {
	/** Process ids with the installation's marker. */
	processes: number[];
	/** TCP ports that those processes listen on. */
	ports: number[];
	/** Everything in the data folder but the store, the keys, compiled programs, and what agents without a session wrote. */
	files: string[];
}

const kept = /^(store|keys|cache|run\/\.waiting)(\/|$)/;

export function machineState(installation: string, dataDir: string): MachineState {
	const processes = sessionProcesses(installation).map(({ pid }) => pid);
	const sockets = new Set(processes.flatMap(socketsOf));
	const ports = listening().filter(({ inode }) => sockets.has(inode));
	const files = filesBelow(dataDir).filter((path) => !kept.test(path));
	return {
		processes: processes.toSorted((a, b) => a - b),
		ports: [...new Set(ports.map(({ port }) => port))].toSorted((a, b) => a - b),
		files: files.toSorted(),
	};
}

/** Relative paths; folders go while one looks. */
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

/** Inodes of the sockets a process has open. */
function socketsOf(pid: number): string[] {
	try {
		const folder = `/proc/${pid}/fd`;
		return readdirSync(folder).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${fd}`))?.[1] ?? []);
	} catch {
		// It has ended meanwhile.
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

/** proc(5), `/proc/net/tcp`: local address in field 2, state in field 4 (0A: listening), inode in field 10. */
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
