/** Counts the connections of a listening port of loopback in the kernel's tables. */
import { readFileSync } from "node:fs";

/** The states (proc(5)) of connections that are established, or closed by the other side only. */
const heldStates = new Set(["01", "08"]);

/** Returns the count. @param port A port of 127.0.0.1. */
export function heldConnections(port: number): number {
	const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
	const lines = readFileSync("/proc/net/tcp", "utf8").split("\n");
	return lines.filter((line) => {
		const [, address = "", , state = ""] = line.trim().split(/\s+/);
		return address.endsWith(local) && heldStates.has(state);
	}).length;
}
