/** One pass over repositories at git providers. The platform's GitHub is a fake with one repository, acme/engine. */
import { expect } from "chai";
import { GitHubStage } from "../../providers/github/github-stage.ts";
import { walkPages } from "../settings-scenario.ts";
import type { Walker } from "../walker.ts";

/** Starts the git provider, and returns the configuration that makes it everybody's. */
export async function startWalkedGit(): Promise<{ stage: GitHubStage; config: object }> {
	const stage = await GitHubStage.open();
	stage.pushBranches("feature", 4);
	stage.push("work", { "work.txt": "done\n" });
	const { apiUrl: base_url } = stage.fake;
	const instances = [
		{ name: "walked", base_url, token: stage.token, orgs: ["acme"] },
		{ name: "away", base_url: "http://127.0.0.1:9/api/v3" },
		{ name: "third", base_url: "https://github.invalid/api/v3" },
	];
	return { stage, config: { git: { github: { instances } } } };
}

export async function walkRepositories(walker: Walker): Promise<void> {
	const [first] = await walker.call<{ name: string }[]>("listProviders", 200);
	expect(first).to.deep.equal({ name: "walked", type: "github", orgs: ["acme"] });
	await walkPages(walker, "listProviders", 3);
	await walkPages(walker, "listRepoProviders", 3);
	const shared = await walker.call<Record<string, { url: string }[]>>("listSharedRepos", 200);
	expect(Object.keys(shared)).to.deep.equal(["walked", "away", "third"]);
	const repo_url = shared["walked"]?.[0]?.url ?? "";
	const path = { provider: "walked", org: "acme" };
	expect(await walker.call("listOrgRepos", 200, { path })).to.deep.equal(shared["walked"]);
	await walker.call("listOrgRepos", 404, { path: { ...path, org: "other" } });
	await walkBranches(walker, repo_url);
	const verdict = async (url: string) => walker.call<object>("validateRepo", 200, { query: { repo_url: url } });
	expect(await verdict(repo_url)).to.deep.equal({ valid: true, repo_url, provider: "walked", reason: null });
	for (const [url, provider] of [
		[repo_url.replace("engine", "no-such"), "walked"],
		["https://git.invalid/org/repo", null],
		["nonsense", null],
	] as const) {
		const found = await verdict(url);
		expect(found).to.include({ valid: false, repo_url: url, provider });
		expect(found).to.have.property("reason").that.is.a("string");
	}
}

async function walkBranches(walker: Walker, repo_url: string): Promise<void> {
	const names = await walker.call<string[]>("listBranches", 200, { query: { repo_url } });
	expect(names).to.deep.equal(["main", "feature-1", "feature-2", "feature-3", "feature-4", "work"]);
	const page = await walker.answer("listBranches", 200, { query: { repo_url, limit: "2" } });
	expect(page.body).to.deep.equal(names.slice(0, 2));
	expect(page.headers.get("link")).to.contain('rel="next"');
	await walker.call("listBranches", 400, { query: { repo_url: "https://git.invalid/org/repo" } });
	await walker.call("listBranches", 404, { query: { repo_url: repo_url.replace("engine", "no-such") } });
	await walker.call("listBranches", 502, { query: { repo_url: "http://127.0.0.1:9/acme/engine" } });
}
