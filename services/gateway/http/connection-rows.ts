/** Formats the peer of a connection within this machine as the kernel's tables do. Pure. */
import { isIPv4 } from "node:net";
import { endianness } from "node:os";

/** The two ends of an accepted connection, as the socket reports them. */
export interface Ends {
	readonly remoteAddress?: string | undefined;
	readonly remotePort?: number | undefined;
	readonly localAddress?: string | undefined;
	readonly localPort?: number | undefined;
}

const mappedPrefix = "::ffff:";

/**
 * Returns the beginnings `address:port address:port` of the row of the peer's socket: one for `tcp`, and one for
 * `tcp6`, where a program's socket may be although it uses IPv4. Empty unless both ends are on loopback.
 */
export function connectionRows({ remoteAddress, remotePort = 0, localAddress, localPort = 0 }: Ends): string[] {
	const near = loopbackForms(localAddress);
	return loopbackForms(remoteAddress).flatMap((far) => {
		const same = near.find(({ length }) => length === far.length);
		return same ? [`${written(far)}:${port(remotePort)} ${written(same)}:${port(localPort)}`] : [];
	});
}

/** Returns the bytes of an address in both families of sockets; an empty list when it is not on loopback. */
function loopbackForms(address = ""): number[][] {
	const v4 = address.startsWith(mappedPrefix) ? address.slice(mappedPrefix.length) : address;
	if (isIPv4(v4) && v4.startsWith("127.")) {
		const bytes = v4.split(".").map(Number);
		return [bytes, [...zeros(10), 255, 255, ...bytes]];
	}
	return address === "::1" ? [[...zeros(15), 1]] : [];
}

function zeros(count: number): number[] {
	return Array.from({ length: count }, () => 0);
}

/** Formats words of four bytes, each in hexadecimal and in this machine's byte order. */
function written(bytes: readonly number[]): string {
	const words = Array.from({ length: bytes.length / 4 }, (_, word) => bytes.slice(4 * word, 4 * word + 4));
	const ordered = words.flatMap((word) => (endianness() === "LE" ? word.toReversed() : word));
	return ordered.map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join("");
}

function port(value: number): string {
	return value.toString(16).padStart(4, "0").toUpperCase();
}
