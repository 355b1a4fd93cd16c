/** The address at which sessions reach a server of the test, or a repository. Where they run decides about it. */
import { resolve } from "node:path";

/** Where sessions reach what a test offers. */
export interface Reach {
	/** Resolves to the origin of a server. @param loopback Its origin on loopback. */
	readonly server: (loopback: string) => Promise<string>;
	/** Returns the URL of a repository of this machine. */
	readonly folder: (path: string) => string;
}

/** Sessions are processes of this machine. */
const here: Reach = {
	server: async (loopback) => loopback,
	folder: (path) => `file://${resolve(path)}`,
};

let reach = here;

/** Makes all servers and repositories from now on be reached in another way. @param other Absent: as by processes of this machine. */
export function reachBy(other: Reach = here): void {
	reach = other;
}

export function reachableServer(loopback: string): Promise<string> {
	return reach.server(loopback);
}

export function reachableFolder(path: string): string {
	return reach.folder(path);
}
