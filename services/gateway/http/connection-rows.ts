/** How the kernel's tables write the far end of a connection within this machine. Pure. */
import { isIPv4 } from "node:net";
import { endianness } from "node:os";

/** The ends of an accepted connection, as a socket tells them. */
export interface Ends {
	readonly remoteAddress?: string | undefined;
	readonly remotePort?: number | undefined;
	readonly localAddress?: string | undefined;
	readonly localPort?: number | undefined;
}

const mappedPrefix = "::ffff:";

/**
 * What the row of the other end's socket begins with, `address:port address:port`: the one of `tcp`, and the one of `tcp6`,
 * where a program's socket may be although it speaks IPv4. None unless both ends are on loopback.
 */
export function connectionRows({ remoteAddress, remotePort = 0, localAddress, localPort = 0 }: Ends): string[] {
	const near = loopbackForms(localAddress);
	return loopbackForms(remoteAddress).flatMap((far) => {
		const same = near.find(({ length }) => length === far.length);
		return same ? [`${written(far)}:${port(remotePort)} ${written(same)}:${port(localPort)}`] : [];
	});
}

/** The bytes of an address as the sockets of either family have it; none when it is not on loopback. */
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

/** Words of four bytes, each a number of this machine's byte order in hexadecimal. */
function written(bytes: readonly number[]): string {
	const words = Array.from({ length: bytes.length / 4 }, (_, word) => bytes.slice(4 * word, 4 * word + 4));
	const ordered = words.flatMap((word) => (endianness() === "LE" ? word.toReversed() : word));
	return ordered.map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join("");
}

function port(value: number): string {
	return value.toString(16).padStart(4, "0").toUpperCase();
}
