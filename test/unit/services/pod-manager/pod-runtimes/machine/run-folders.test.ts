/** The records of a launch, after any change by the commands of its agent. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { execFileSync } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
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

	it("gives a launch a folder for temporary files that nobody else reads, whose name leaves room for sockets", async () => {
		const temporary = runs.temporary(launch);
		expect([temporary.length - folder().length, statSync(temporary).mode & 0o777]).to.deep.equal([18, 0o700]);
		expect(temporary).to.not.equal(runs.temporary(other));
		writeFileSync(join(temporary, "talk.json"), "private");
		expect(readdirSync(join(own, "tmp"))).to.deep.equal(["talk.json"]);
		await runs.create(launch);
		await runs.discard(launch);
		expect(existsSync(own)).to.equal(false);
		expect(readdirSync(join(folder(), ".tmp"))).to.deep.equal([basename(runs.temporary(other))]);
	});

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

	it("removes the secrets although a program has made folders among them that are too deep for a path", async () => {
		const secrets = runs.path(launch, "secrets");
		mkdirSync(secrets);
		const name = "n".repeat(200);
		const script = `for (let depth = 0; depth < 40; depth++) {
			fs.mkdirSync("${name}");
			process.chdir("${name}");
		}`;
		execFileSync(process.execPath, ["-e", script], { cwd: secrets });
		for (const file of ["a", "env.sh", "z"]) writeFileSync(join(secrets, file), "s3cret");
		await runs.removeSecrets(launch);
		expect(readdirSync(secrets)).to.deep.equal([name]);
		await runs.discard(launch);
		await runs.trash.empty(new AbortController().signal);
		expect((await runs.launches()).map(({ sessionId }) => sessionId)).to.deep.equal([other.sessionId]);
	});

	it("keeps the first time of an end", async () => {
		expect(await runs.markEnding(launch)).to.equal(true);
		const first = readFileSync(join(own, "ending"), "utf8");
		await runs.markEnding(launch);
		expect(readFileSync(join(own, "ending"), "utf8")).to.equal(first);
		expect(await runs.read(launch)).to.deep.equal({ endingSince: Number(first) });
	});
});
