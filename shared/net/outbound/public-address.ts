/** Says which network addresses belong to the public internet. Every other one could be a machine that trusts this one. */
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/**
 * The blocks of IPv4 that are not public (IANA's registry of special purposes), with those that clouds use for services
 * of their own.
 */
const specialV4 = [
	"0.0.0.0/8",
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	"168.63.129.16/32",
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.0.0.0/24",
	"192.0.2.0/24",
	"192.31.196.0/24",
	"192.52.193.0/24",
	"192.88.99.0/24",
	"192.168.0.0/16",
	"192.175.48.0/24",
	"198.18.0.0/15",
	"198.51.100.0/24",
	"203.0.113.0/24",
	"224.0.0.0/4",
	"240.0.0.0/4",
];

/** The only block of IPv6 that has public addresses. Most forms that embed an address of IPv4 are outside of it. */
const publicV6 = "2000::/3";

/** The blocks within it that are not public; 2001::/23 contains Teredo, and 2002::/16 is 6to4. */
const specialV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

const special = blockListOf([...specialV4, ...specialV6]);
const publicBlock = blockListOf([publicV6]);

/**
 * Returns a list of networks.
 * @param networks Networks such as `10.0.0.0/8`, or single addresses.
 * @throws {RangeError} when one of them is neither; the message is the text.
 */
export function blockListOf(networks: readonly string[]): BlockList {
	const list = new BlockList();
	for (const network of networks) {
		const [address = "", bits] = network.split("/");
		const family = isIP(address);
		const longest = family === 4 ? 32 : 128;
		const prefix = bits === undefined ? longest : prefixOf(bits);
		if (family === 0 || prefix > longest) throw new RangeError(network);
		list.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
	}
	return list;
}

function prefixOf(bits: string): number {
	return /^\d{1,3}$/.test(bits) ? Number(bits) : Number.POSITIVE_INFINITY;
}

/**
 * Whether the address belongs to the public internet, in none of the refused networks, and not to this machine.
 * @param address The address without brackets. A text that is no address is not public.
 */
export function isPublicAddress(address: string, refused: BlockList): boolean {
	const family = isIP(address);
	if (family === 0 || address.includes("%")) return false;
	const name = family === 4 ? "ipv4" : "ipv6";
	if (family === 6 && !publicBlock.check(address, name)) return false;
	return !special.check(address, name) && !refused.check(address, name) && !isOwnAddress(address, name);
}

/** Whether the address is in one of the networks. A text that is no address is in none. */
export function isWithin(networks: BlockList, address: string): boolean {
	const family = isIP(address);
	return family !== 0 && networks.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** Whether this machine has the address: its services often trust what comes from the machine itself. */
export function isOwnAddress(address: string, family: "ipv4" | "ipv6"): boolean {
	const own = new BlockList();
	for (const entry of Object.values(networkInterfaces()).flat()) {
		if (entry) own.addAddress(entry.address.replace(/%.*$/, ""), entry.family === "IPv4" ? "ipv4" : "ipv6");
	}
	return own.check(address, family);
}
