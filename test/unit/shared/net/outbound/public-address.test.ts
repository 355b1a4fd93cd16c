import { expect } from "chai";
import { networkInterfaces } from "node:os";
import { blockListOf, isPublicAddress } from "#shared/net/outbound/public-address.ts";
import { privateAddresses, publicAddresses } from "../../../../support/hostile/hostile-urls.ts";

const none = blockListOf([]);

describe("isPublicAddress", () => {
	it("refuses every address that is not of the public internet", () => {
		expect(privateAddresses).to.have.length.above(57);
		expect(privateAddresses.filter((address) => isPublicAddress(address, none))).to.deep.equal([]);
	});

	it("accepts public addresses next to them", () => {
		expect(publicAddresses.filter((address) => !isPublicAddress(address, none))).to.deep.equal([]);
	});

	it("refuses the networks of the configuration", () => {
		const refused = blockListOf(["140.82.0.0/16", "2a00:1450::/32", "1.1.1.1"]);
		const accepted = publicAddresses.filter((address) => !isPublicAddress(address, refused));
		expect(accepted).to.deep.equal(["1.1.1.1", "140.82.121.4", "2a00:1450:4001::5"]);
	});

	it("refuses this machine's own addresses, and what is no address", () => {
		const own = Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
		for (const text of [...own, "", "localhost", "1.2.3", "0x7f000001"]) {
			expect(isPublicAddress(text, none), text).to.equal(false);
		}
	});
});

describe("blockListOf", () => {
	for (const network of ["10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/1.5", "x", "", "10.0.0/8"]) {
		it(`refuses "${network}"`, () => {
			expect(() => blockListOf([network])).to.throw(RangeError, network);
		});
	}
});
