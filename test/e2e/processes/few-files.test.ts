/** A process that may open few files: clients that hold connections leave enough files for everything else. */
import { expect } from "chai";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { eventually } from "../../support/eventually.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

const openFiles = 256;

describe("a platform that may open few files", function () {
	this.timeout(120_000);

	it("keeps half of them for the store and for sessions, whoever holds connections, and says so", async () => {
		await using platform = await startPlatform({ openFiles });
		const health = await (await fetch(`${platform.url}/health`)).text();
		expect(health).to.include("At most 128 connections are taken at once").and.to.include("open 256 files only");
		const { hostname, port } = new URL(platform.url);
		const silent = Array.from({ length: 2 * openFiles }, () => connect(Number(port), hostname).resume());
		try {
			for (const socket of silent) socket.on("error", () => {});
			await eventually(() => silent.every(isDecided), { withinMs: 20_000, what: "all are taken or refused" });
			await eventually(() => silent.filter(isOpen).length <= openFiles / 2, { withinMs: 5_000 });
			const used = readdirSync(`/proc/${platform.processes[0]?.pid}/fd`).length;
			expect(used).to.be.below((3 * openFiles) / 4);
		} finally {
			for (const socket of silent) socket.destroy();
		}
	});
});

function isDecided({ connecting }: Socket): boolean {
	return !connecting;
}

function isOpen({ destroyed }: Socket): boolean {
	return !destroyed;
}
