import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, open, openSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { EmbeddedLog } from "#shared/store/embedded/embedded-log.ts";

describe("the log of the embedded store", () => {
	let folder: string;
	let log: EmbeddedLog;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-log-"));
		writeFileSync(join(folder, "db-wal"), "a commit");
		log = new EmbeddedLog(join(folder, "db"));
	});
	afterEach(() => {
		log.close();
		rmSync(folder, { recursive: true });
	});

	it("is synced while other calls occupy all of Node's threads for files", async () => {
		const pipe = join(folder, "pipe");
		execFileSync("mkfifo", [pipe]);
		// Each waits until somebody writes to the pipe.
		const openLater = promisify(open);
		const waiting = Array.from({ length: 8 }, () => openLater(pipe, "r"));
		const blocked = openLater(join(folder, "db-wal"), "r");
		let isBlocked = true;
		void blocked.finally(() => (isBlocked = false));
		await log.sync();
		expect(isBlocked, "the others wait still").to.equal(true);
		const writer = openSync(pipe, "r+");
		for (const descriptor of await Promise.all([...waiting, blocked])) closeSync(descriptor);
		closeSync(writer);
	});

	it("answers each sync with its own outcome", async () => {
		// A device that cannot be synced.
		symlinkSync("/dev/null", join(folder, "null-wal"));
		const broken = new EmbeddedLog(join(folder, "null"));
		const outcomes = await Promise.allSettled([log.sync(), broken.sync(), log.sync()]);
		broken.close();
		expect(outcomes.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected", "fulfilled"]);
		expect((outcomes[1] as PromiseRejectedResult).reason)
			.to.be.an("error")
			.with.property("message")
			.that.includes("EINVAL");
	});
});
