import { expect } from "chai";
import { branchesOf, repoOf, type SessionRepo } from "#services/git/pulls/session-branch.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { BadRequestError, ConflictError, UnprocessableError } from "#shared/base/errors.ts";

const rules = { auto_branch: true, branch_prefix: "atelier/session", protect_main: true };
const repo = (branch: string, base = ""): SessionRepo => ({ url: "https://git.example/a/b", branch, path: "", base });

describe("branchesOf()", () => {
	const own = "atelier/session/s1";
	for (const [branch, base, target, head, to] of [
		["work", "", "", "work", "main"],
		["work", "develop", "", "work", "develop"],
		["work", "develop", "release", "work", "release"],
		["main", "", "", own, "main"],
		["", "", "", own, "main"],
		["main", "", "release", own, "release"],
		["develop", "", "develop", own, "develop"],
	] as const)
		it(`goes from "${head}" to "${to}" for the branch "${branch}", the base "${base}" and the target "${target}"`, () =>
			expect(branchesOf({ id: "s1", repo: repo(branch, base) }, target, "main", rules)).to.deep.equal({
				head,
				base: to,
			}));

	it("refuses the target and the main branch without branches of its own", () => {
		const strict = { ...rules, auto_branch: false };
		for (const [branch, target] of [
			["main", ""],
			["main", "release"],
			["develop", "develop"],
		] as const)
			expect(() => branchesOf({ id: "s1", repo: repo(branch) }, target, "main", strict)).to.throw(ConflictError);
	});

	it("pushes to the main branch for another target when nothing protects it", () => {
		const open = { ...rules, auto_branch: false, protect_main: false };
		expect(branchesOf({ id: "s1", repo: repo("main") }, "release", "main", open).head).to.equal("main");
	});

	it("refuses what cannot be a branch", () => {
		for (const target of ["--all", "a b", "a..b", "HEAD"])
			expect(() => branchesOf({ id: "s1", repo: repo("work") }, target, "main", rules)).to.throw(UnprocessableError);
	});
});

describe("repoOf()", () => {
	const repositories = [
		{ url: "https://git.example/a/api.git", branch: "main", path: "api" },
		{ url: "git@git.example:a/web", branch: "next", path: "web" },
	];
	const source = { type: "git", repo: "https://git.example/a/api.git", branch: "work", base_branch: "develop" };
	const session = { source, repo: source.repo, branch: "work", repositories } as unknown as Session;

	it("is the session's own one with its base, or the one that is named by URL or folder", () => {
		const own = { url: repositories[0]?.url, branch: "work", path: "api", base: "develop" };
		expect(repoOf(session, undefined)).to.deep.equal(own);
		expect(repoOf(session, "https://git.example/a/api")).to.deep.equal(own);
		const web = { url: "git@git.example:a/web", branch: "next", path: "web", base: "" };
		for (const name of ["web", "https://git.example/a/web", "git@git.example:a/web.git"])
			expect(repoOf(session, name)).to.deep.equal(web);
	});

	it("refuses a repository that the session does not have, and a session without any", () => {
		expect(() => repoOf(session, "https://git.example/a/other")).to.throw(BadRequestError, '"api", "web"');
		const mounted = { ...session, source: { ...source, type: "local_mount" } } as unknown as Session;
		expect(() => repoOf(mounted, undefined)).to.throw(BadRequestError, "no repository");
		expect(() => repoOf({ ...session, repositories: [{ url: "", branch: "", path: "" }] }, undefined)).to.throw();
	});
});
