import { expect } from "chai";
import { networkInterfaces } from "node:os";
import { addressRefusal } from "#shared/net/egress/egress-addresses.ts";
import { blockListOf } from "#shared/net/outbound/public-address.ts";
import { privateAddresses, publicAddresses } from "../../../../support/hostile/hostile-urls.ts";

const none = blockListOf([]);

describe("addressRefusal()", () => {
	it("admits public addresses only, for names that a session chooses", () => {
		expect(publicAddresses.filter((address) => addressRefusal(address, "public", none))).to.deep.equal([]);
		expect(privateAddresses.filter((address) => !addressRefusal(address, "public", none))).to.deep.equal([]);
	});

	it("admits private networks too, for names of the operator", () => {
		const company = ["10.1.2.3", "172.16.0.1", "192.168.255.254", "100.64.0.1", "fd12:3456::1", "fc00::1"];
		const all = [...company, ...publicAddresses];
		expect(all.filter((address) => addressRefusal(address, "known", none))).to.deep.equal([]);
	});

	it("refuses loopback, link-local, metadata, unspecified, multicast and mapped addresses for those too", () => {
		const loopback = ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1"];
		const metadata = ["169.254.169.254", "168.63.129.16", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254"];
		const others = ["169.254.0.1", "fe80::1", "fe80::1%eth0", "fd00::1%eth0", "0.0.0.0", "::", "224.0.0.1", "ff02::1"];
		const all = [...loopback, ...metadata, ...others, "255.255.255.255", "", "localhost"];
		expect(all.filter((address) => !addressRefusal(address, "known", none))).to.deep.equal([]);
	});

	it("refuses this machine's own addresses and the operator's networks for both", () => {
		const own = Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
		expect(own.filter((address) => !addressRefusal(address, "known", none))).to.deep.equal([]);
		const refused = blockListOf(["10.1.0.0/16", "140.82.0.0/16"]);
		expect(addressRefusal("10.1.2.3", "known", refused)?.reason).to.equal("network");
		expect(addressRefusal("140.82.121.4", "public", refused)?.reason).to.equal("network");
		expect(addressRefusal("10.2.0.1", "known", refused)).to.equal(undefined);
	});
});
