import { expect } from "chai";
import { endianness } from "node:os";
import { connectionRows, type Ends } from "#services/gateway/http/connection-rows.ts";

/** The rows have the ports 40000 (9C40) and 8080 (1F90). */
function ends(remoteAddress: string | undefined, localAddress: string | undefined): Ends {
	return { remoteAddress, remotePort: 40_000, localAddress, localPort: 8_080 };
}

describe("connectionRows()", () => {
	const loopback = "0100007F:9C40 0100007F:1F90";
	const mapped = "0000000000000000FFFF00000100007F:9C40 0000000000000000FFFF00000100007F:1F90";

	before(function () {
		// The examples are written for the byte order of the machines that the platform is tested on.
		if (endianness() !== "LE") this.skip();
	});

	it("writes both forms of an IPv4 connection, as /proc/net/tcp and tcp6 do", () => {
		expect(connectionRows(ends("127.0.0.1", "127.0.0.1"))).to.deep.equal([loopback, mapped]);
		expect(connectionRows(ends("::ffff:127.0.0.1", "::ffff:127.0.0.1"))).to.deep.equal([loopback, mapped]);
		expect(connectionRows(ends("::ffff:127.0.0.1", "127.0.0.1"))).to.deep.equal([loopback, mapped]);
	});

	it("writes the one form of an IPv6 connection", () => {
		const one = "00000000000000000000000001000000";
		expect(connectionRows(ends("::1", "::1"))).to.deep.equal([`${one}:9C40 ${one}:1F90`]);
	});

	it("distinguishes the addresses of loopback, and pads ports", () => {
		expect(connectionRows({ ...ends("127.0.0.2", "127.0.0.1"), remotePort: 80 })[0]).to.equal(
			"0200007F:0050 0100007F:1F90",
		);
	});

	const others: [string | undefined, string | undefined][] = [
		["192.168.0.7", "127.0.0.1"],
		["127.0.0.1", "192.168.0.7"],
		["::ffff:192.168.0.7", "::ffff:127.0.0.1"],
		["::1", "192.168.0.7"],
		["127.0.0.1.example", "127.0.0.1"],
		[undefined, "127.0.0.1"],
		["127.0.0.1", undefined],
	];
	for (const [far, near] of others) {
		it(`has none for a connection from ${far} to ${near}`, () => {
			expect(connectionRows(ends(far, near))).to.deep.equal([]);
		});
	}
});
