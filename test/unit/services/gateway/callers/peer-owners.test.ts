import { expect } from "chai";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { connectionRows, type Ends } from "#services/gateway/http/connection-rows.ts";
import { PeerOwners } from "#services/gateway/callers/peer-owners.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { openLoopback } from "../../../../support/clients/loopback-connection.ts";
import { useFolder } from "../../../../support/use-folder.ts";

const ownUid = process.geteuid?.();
const hasV6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

describe("PeerOwners", () => {
	const folder = useFolder();
	const owners = new PeerOwners();

	for (const [host, listenOn] of [
		["127.0.0.1", "127.0.0.1"],
		["127.0.0.2", "0.0.0.0"],
		...(hasV6
			? [
					["::1", "::1"],
					["127.0.0.1", "::"],
					["::ffff:127.0.0.1", "127.0.0.1"],
				]
			: []),
	])
		it(`knows the user of a program that connects to ${host} at a server on ${listenOn} (H1)`, async () => {
			const connection = await openLoopback(host, listenOn);
			try {
				expect(await owners.find(connection.accepted)).to.equal(ownUid);
			} finally {
				connection.close();
			}
		});

	it("does not mistake a closed connection for one of root (H1)", async () => {
		const connection = await openLoopback();
		try {
			const { remoteAddress, remotePort, localAddress, localPort } = connection.accepted;
			connection.client.destroy();
			await once(connection.accepted.resume(), "end");
			expect(await owners.find({ remoteAddress, remotePort, localAddress, localPort })).to.equal(undefined);
		} finally {
			connection.close();
		}
	});

	it("finds no user for a missing or remote connection", async () => {
		const ends = { remoteAddress: "127.0.0.1", remotePort: 1, localAddress: "127.0.0.1", localPort: 1 };
		expect(await owners.find(ends)).to.equal(undefined);
		for (const address of ["10.0.0.1", "::2", "::ffff:10.0.0.1", "fe80::1", "", undefined]) {
			expect(connectionRows({ ...ends, remoteAddress: address }), address).to.deep.equal([]);
			expect(connectionRows({ ...ends, localAddress: address }), address).to.deep.equal([]);
		}
	});

	it("says so if there is no table", async () => {
		const ends = { remoteAddress: "127.0.0.1", remotePort: 1, localAddress: "127.0.0.1", localPort: 1 };
		expect(await failureOf(new PeerOwners(["/nonexistent/tcp"]).find(ends))).to.be.instanceOf(Error);
	});

	it("reads a large table once for all concurrent questions (H1)", async function () {
		this.timeout(60_000);
		const connections = Array.from({ length: 50_000 }, (_, port) => ends(port + 1));
		const table = join(folder(), "tcp");
		writeFileSync(table, connections.map((one, index) => row(index, one, 1_000 + index)).join(""));
		const large = new PeerOwners([table]);
		const alone = await timeOf(async () => expect(await large.find(ends(50_000))).to.equal(50_999));
		const crowd = await timeOf(async () => {
			const found = await Promise.all(connections.slice(0, 500).map((one) => large.find(one)));
			expect(found).to.deep.equal(connections.slice(0, 500).map((_, index) => 1_000 + index));
		});
		// The first question is answered alone, all others together.
		expect(crowd / alone).to.be.below(25);
	});
});

function ends(remotePort: number): Ends {
	return { remoteAddress: "127.0.0.1", remotePort, localAddress: "127.0.0.1", localPort: 8080 };
}

/** The text of the kernel's table. */
function row(index: number, connection: Ends, uid: number): string {
	const [name = ""] = connectionRows(connection);
	const rest = "01 00000000:00000000 00:00000000 00000000";
	return `${String(index).padStart(4)}: ${name} ${rest} ${String(uid).padStart(5)}        0 12345 1 0\n`;
}

/** The processor time in milliseconds. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
	const begun = process.cpuUsage();
	await run();
	const { user, system } = process.cpuUsage(begun);
	return (user + system) / 1_000;
}
