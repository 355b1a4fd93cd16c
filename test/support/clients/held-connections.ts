/** Connections that whoever listens on a port of loopback holds, as the kernel knows them. */
import { readFileSync } from "node:fs";

/** proc(5): established; closed by the other side only. */
const heldStates = new Set(["01", "08"]);

/** @param port Of 127.0.0.1. */
export function heldConnections(port: number): number {
	const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
	const lines = readFileSync("/proc/net/tcp", "utf8").split("\n");
	return lines.filter((line) => {
		const [, address = "", , state = ""] = line.trim().split(/\s+/);
		return address.endsWith(local) && heldStates.has(state);
	}).length;
}
