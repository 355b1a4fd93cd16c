import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { readHead } from "#agent/workspace/diff/head-commit.ts";
import { git, makeRepository } from "../../../../support/repositories/git-repository.ts";

describe("readHead", () => {
	let folder: string;
	let repository: string;
	let own: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-head-"));
		repository = makeRepository(join(folder, "repository"));
		own = join(repository, ".git");
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	function commit(): string {
		git(repository, ["commit", "--quiet", "--allow-empty", "--message", "next"]);
		return git(repository, ["rev-parse", "HEAD"]).trim();
	}

	it("agrees with git on a branch of any name, and on a detached commit", async () => {
		for (const where of [[], ["-b", "a/ä-b.c"], ["--detach"]]) {
			git(repository, ["checkout", "--quiet", ...where]);
			const made = commit();
			expect(await readHead(own)).to.deep.equal({ commit: made });
		}
	});

	it("detects that there is no commit yet", async () => {
		rmSync(own, { recursive: true });
		git(repository, ["init", "--quiet"]);
		expect(await readHead(own)).to.deep.equal({ commit: undefined });
	});

	it("leaves to git what the files do not say directly", async () => {
		git(repository, ["pack-refs", "--all"]);
		expect(await readHead(own), "a packed branch").to.equal(undefined);
		git(repository, ["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
		git(repository, ["symbolic-ref", "HEAD", "refs/heads/alias"]);
		expect(await readHead(own), "a branch that stands for another").to.equal(undefined);
		writeFileSync(join(own, "other"), `${"0".repeat(40)}\n`);
		for (const head of ["", "ref: refs/heads/main", "ref: refs/heads/../../other\n", "ref: refs/tags/x\n", "0123\n"]) {
			writeFileSync(join(own, "HEAD"), head);
			expect(await readHead(own), JSON.stringify(head)).to.equal(undefined);
		}
		writeFileSync(join(own, "HEAD"), `${"0".repeat(40)}${"\n".repeat(5_000)}`);
		expect(await readHead(own), "a large file").to.equal(undefined);
	});

	it("reads no pipe, from which nothing may ever come", async () => {
		rmSync(join(own, "HEAD"));
		execFileSync("mkfifo", [join(own, "HEAD")]);
		expect(await readHead(own)).to.equal(undefined);
		rmSync(join(own, "HEAD"));
		writeFileSync(join(own, "HEAD"), "ref: refs/heads/pipe\n");
		execFileSync("mkfifo", [join(own, "refs/heads/pipe")]);
		expect(await readHead(own)).to.equal(undefined);
	});
});
