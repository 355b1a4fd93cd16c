/** The folders of a launch whose agent is a process, after any change by its commands. */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ProcessFolders } from "#services/pod-manager/pod-runtimes/local-process/process-folders.ts";
import { RunFolders } from "#services/pod-manager/pod-runtimes/machine/run-folders.ts";
import { useFolder } from "../../../../../support/use-folder.ts";

describe("ProcessFolders", () => {
	const launch = { sessionId: randomUUID(), generation: 1 };
	const other = { sessionId: randomUUID(), generation: 1 };
	const folder = useFolder();
	let runs: RunFolders;
	let folders: ProcessFolders;
	let own: string;

	beforeEach(async () => {
		runs = new RunFolders(folder());
		folders = new ProcessFolders(runs);
		own = runs.path(launch);
		await folders.create(launch);
		await folders.create(other);
	});

	it("gives a launch a folder for temporary files that nobody else reads, whose name leaves room for sockets", async () => {
		const temporary = folders.temporary(launch);
		expect([temporary.length - folder().length, statSync(temporary).mode & 0o777]).to.deep.equal([18, 0o700]);
		expect(temporary).to.not.equal(folders.temporary(other));
		writeFileSync(join(temporary, "talk.json"), "private");
		expect(readdirSync(join(own, "tmp"))).to.deep.equal(["talk.json"]);
		await folders.create(launch);
		await folders.discard(launch);
		expect(existsSync(own)).to.equal(false);
		expect(readdirSync(join(folder(), ".tmp"))).to.deep.equal([basename(folders.temporary(other))]);
	});

	it("makes nothing in the folder of another launch through a link in the place of its own (H3)", async () => {
		const before = readdirSync(runs.path(other));
		renameSync(own, `${own}.away`);
		symlinkSync(runs.path(other), own);
		expect(await folders.create(launch).catch((error: unknown) => error)).to.be.an("error");
		expect(readdirSync(runs.path(other))).to.deep.equal(before);
	});

	it("removes the secrets although a program has made folders among them that are too deep for a path", async () => {
		const secrets = folders.path(launch, "secrets");
		mkdirSync(secrets);
		const name = "n".repeat(200);
		const script = `for (let depth = 0; depth < 40; depth++) {
			fs.mkdirSync("${name}");
			process.chdir("${name}");
		}`;
		execFileSync(process.execPath, ["-e", script], { cwd: secrets });
		for (const file of ["a", "env.sh", "z"]) writeFileSync(join(secrets, file), "s3cret");
		await folders.removeSecrets(launch);
		expect(readdirSync(secrets)).to.deep.equal([name]);
		await folders.discard(launch);
		await runs.trash.empty(new AbortController().signal);
		expect((await runs.launches()).map(({ sessionId }) => sessionId)).to.deep.equal([other.sessionId]);
	});
});
