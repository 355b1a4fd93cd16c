/** The records of a launch, after any change by the commands of its agent. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RunFolders } from "#services/pod-manager/pod-runtimes/machine/run-folders.ts";
import { oddFiles, putOdd, releasePipes } from "../../../../../support/hostile/odd-files.ts";
import { useFolder } from "../../../../../support/use-folder.ts";

const kinds = Object.keys(oddFiles);
const ready = { phase: "ready", pid: 1, port: 4_000, timings: {} };

describe("RunFolders", () => {
	const launch = { sessionId: randomUUID(), generation: 1 };
	const other = { sessionId: randomUUID(), generation: 1 };
	let runs: RunFolders;
	let own: string;

	afterEach(() => releasePipes(folder()));
	const folder = useFolder();
	beforeEach(async () => {
		runs = new RunFolders(folder());
		own = join(folder(), `${launch.sessionId}-g1`);
		await runs.create(launch);
		await runs.create(other);
		writeFileSync(runs.path(other, "status"), JSON.stringify(ready));
		writeFileSync(runs.path(other, "log"), "what it said");
	});

	for (const kind of kinds) {
		it(`reads no status from ${kind}, and takes it for none (H3)`, async () => {
			await putOdd(kind, runs.path(launch, "status"));
			expect(await runs.read(launch)).to.deep.equal({});
		});

		it(`an end that ${kind} tells of has begun, nobody knows when (H3)`, async () => {
			await putOdd(kind, join(own, "ending"));
			expect(await runs.read(launch)).to.deep.equal({ endingSince: Number.NaN });
			expect(await runs.markEnding(launch)).to.equal(true);
		});

		it(`leaves an output alone that is ${kind} (H3)`, async function () {
			if (kind === "a huge file") return this.skip();
			await putOdd(kind, runs.path(launch, "log"));
			await runs.tend(launch);
		});

		it(`knows nothing of a launch whose folder is ${kind}, and cannot note its end (H3)`, async function () {
			if (kind === "a folder") return this.skip();
			const second = { ...launch, generation: 2 };
			await putOdd(kind, join(folder(), `${launch.sessionId}-g2`));
			expect(await runs.read(second)).to.deep.equal({});
			expect(await runs.markEnding(second)).to.equal(false);
			await runs.recordEnd(second, 1, { code: "AGENT_CRASHED", message: "it died" }).catch(() => {});
			expect(await runs.read(other)).to.deep.equal({ status: ready });
		});
	}

	it("writes nothing into the folder of another launch through a link in the place of its own (H3)", async () => {
		const before = readdirSync(join(folder(), `${other.sessionId}-g1`));
		renameSync(own, `${own}.away`);
		symlinkSync(join(folder(), `${other.sessionId}-g1`), own);
		expect(await runs.read(launch)).to.deep.equal({});
		expect(await runs.markEnding(launch)).to.equal(false);
		expect(await runs.create(launch).catch((error: unknown) => error)).to.be.an("error");
		expect(readdirSync(join(folder(), `${other.sessionId}-g1`))).to.deep.equal(before);
	});

	it("writes through no link in the place of a record (H3)", async () => {
		const file = join(folder(), "precious");
		writeFileSync(file, "x".repeat(5 * 1_048_576));
		symlinkSync(file, runs.path(launch, "log"));
		symlinkSync(file, join(own, "status.json.crash"));
		await runs.tend(launch);
		await runs.recordEnd(launch, 1, { code: "AGENT_CRASHED", message: "it died" });
		expect(statSync(file).size).to.equal(5 * 1_048_576);
		expect(await runs.read(launch)).to.have.nested.property("status.failure.code", "AGENT_CRASHED");
	});

	it("makes nothing beside the records, which is the matter of each runtime", async () => {
		expect(readdirSync(own)).to.deep.equal([]);
		expect(readdirSync(folder()).filter((name) => name.startsWith("."))).to.deep.equal([]);
	});

	it("keeps the first time of an end", async () => {
		expect(await runs.markEnding(launch)).to.equal(true);
		const first = readFileSync(join(own, "ending"), "utf8");
		await runs.markEnding(launch);
		expect(readFileSync(join(own, "ending"), "utf8")).to.equal(first);
		expect(await runs.read(launch)).to.deep.equal({ endingSince: Number(first) });
	});
});
