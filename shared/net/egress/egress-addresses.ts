/** Says to which addresses a session may be connected, after its name was resolved. */
import { type BlockList, isIP } from "node:net";
import type { EgressRefusal } from "./egress-rules.ts";
import { blockListOf, isOwnAddress, isPublicAddress, isWithin } from "../outbound/public-address.ts";

const noNetworks = blockListOf([]);
/** The private networks (RFC 1918, RFC 6598, RFC 4193); one list for each family, because a list also knows mapped addresses. */
const privateV4 = blockListOf(["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"]);
const privateV6 = blockListOf(["fc00::/7"]);
/** The addresses within them at which clouds serve the metadata and the keys of a machine. */
const metadata = blockListOf(["100.100.100.200", "fd00:ec2::/32", "fd20:ce::254"]);

/**
 * Returns why a session is not connected to an address; undefined when it may be.
 * @param networks `known`: the operator has named the host, so its network may be private.
 */
export function addressRefusal(
	address: string,
	networks: "public" | "known",
	refused: BlockList,
): EgressRefusal | undefined {
	if (isWithin(refused, address))
		return { reason: "network", words: "the operator refuses its network (outbound.refuse)" };
	if (isPublicAddress(address, noNetworks)) return undefined;
	if (networks === "public") return { reason: "address", words: "its address is not a public one" };
	return isPrivateAddress(address)
		? undefined
		: { reason: "address", words: "its address is this machine's or reserved" };
}

/** Whether the address is of a private network, and neither this machine's nor one of its metadata. */
function isPrivateAddress(address: string): boolean {
	const family = isIP(address);
	if (family === 0 || address.includes("%")) return false;
	const isPrivate = isWithin(family === 4 ? privateV4 : privateV6, address);
	return isPrivate && !isWithin(metadata, address) && !isOwnAddress(address, family === 4 ? "ipv4" : "ipv6");
}
