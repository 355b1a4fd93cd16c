/** Says which hosts are this machine itself. */
import { isIPv4 } from "node:net";

/** Whether only programs of this machine are reached at this host, as an address or in the form of URLs (`[::1]`). */
export function isLoopback(host: string): boolean {
	return ["localhost", "::1", "[::1]"].includes(host) || (isIPv4(host) && host.startsWith("127."));
}
