/** The git provider Gitea at a real one. Night: Gitea takes some seconds to start, and checks pull requests in the background. */
import { expect } from "chai";
import { loadAdapter } from "#shared/config/adapter.ts";
import { type GitProvider, gitProviderMethods } from "#services/git/providers/git-provider.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { GiteaStage } from "../../support/providers/gitea/gitea-stage.ts";
import { gitProviderContract } from "./git-provider.contract.ts";

const closed = { allow: [], ports: [], refuse: [], proxy: "", proxy_resolves: false };
const adapter = { adapter: "services/git/git-providers/gitea/gitea.ts#Provider", kwargs: {}, secret_kwargs_env: {} };
const timeoutMs = 120_000;

function gitea(options: object): Promise<GitProvider> {
	return loadAdapter<GitProvider>(adapter, gitProviderMethods, {
		name: "gitea",
		orgs: [],
		isConfigured: true,
		bounds: { ms: timeoutMs },
		...options,
	});
}

gitProviderContract({
	name: "Gitea",
	timeoutMs,
	async open() {
		const outbound = new Outbound(closed);
		const stage = await GiteaStage.open();
		const made = (token: string) => gitea({ base_url: stage.server.url, token, outbound });
		return {
			provider: await made(stage.token),
			user: stage.user,
			place: stage.place,
			withToken: made,
			push: async (branch, files, message) => stage.push(branch, files, message),
			pushBranches: async (prefix, count) => stage.pushBranches(prefix, count),
			check: (branch, name, state) => stage.check(branch, name, state),
			openFromFork: (branch) => stage.openFromFork(branch),
			review: (number, state) => stage.review(number, state),
			violations: () => [],
			async [Symbol.asyncDispose]() {
				outbound.close();
				await stage[Symbol.asyncDispose]();
			},
		};
	},
});

describe("Gitea beyond the port", function () {
	this.timeout(timeoutMs);
	let outbound: Outbound;
	let stage: GiteaStage;
	let provider: GitProvider;
	before(async function () {
		this.timeout(180_000);
		outbound = new Outbound(closed);
		stage = await GiteaStage.open();
		provider = await gitea({ base_url: `${stage.server.url}/api/v1`, token: stage.token, outbound });
	});
	after(async () => {
		outbound?.close();
		await stage?.[Symbol.asyncDispose]();
	});

	async function opened(head: string) {
		stage.push(head, { [`${head}.txt`]: "1\n" });
		const { place } = stage;
		const draft = { title: "Work", description: "", head, base: "main", labels: [], draft: false };
		const { number } = await provider.openPull(place, draft);
		await eventually(async () => (await provider.pull(place, number)).mergeable === true, { withinMs: timeoutMs });
		return provider.pull(place, number);
	}

	it("merges only what a rule of the repository allows, and says that it is no conflict", async () => {
		const rule = { rule_name: "main", enable_status_check: true, status_check_contexts: ["build"] };
		await stage.server.call("ada", "POST", "/repos/acme/engine/branch_protections", rule);
		const { number, head_sha } = await opened("ruled");
		const merge = () => provider.mergePull(stage.place, number, { method: "rebase", expected_head: head_sha });
		expect(await failureOf(merge())).to.include({ code: 409, type: "PULL_NOT_MERGEABLE" });
		await stage.check("ruled", "build", "passing");
		expect((await merge()).sha).to.equal(stage.commitOf("main"));
		await stage.server.call("ada", "DELETE", "/repos/acme/engine/branch_protections/main");
	});

	it("counts no approval of somebody who may only read", async () => {
		const { number } = await opened("read-only");
		const as = (permission: string) =>
			stage.server.call("ada", "PUT", "/repos/acme/engine/collaborators/bob", { permission });
		await as("read");
		await stage.review(number, "approved");
		const states = async () => (await provider.evidence(stage.place, number)).reviews.map(({ state }) => state);
		expect(await states()).to.deep.equal(["commented"]);
		await as("write");
		await stage.review(number, "approved");
		expect(await states()).to.include("approved");
	});

	it("sets labels, and makes those that are missing", async () => {
		const head = "labels";
		stage.push(head, { "labels.txt": "1\n" });
		const wanted = { title: "Work", description: "", head, base: "main", labels: ["made-here"], draft: false };
		const { number } = await provider.openPull(stage.place, wanted);
		const found = await stage.server.call("ada", "GET", `/repos/acme/engine/issues/${number}/labels`);
		expect(JSON.stringify(found)).to.contain("made-here");
	});

	it("sees the commit that reverts another one", async () => {
		const since = isoTime(now() - 60_000);
		const { number, head_sha } = await opened("reverted");
		const { sha } = await provider.mergePull(stage.place, number, { method: "merge", expected_head: head_sha });
		stage.push("main", { "reverted.txt": "0\n" }, `Revert "Work"\n\nThis reverts commit ${sha}.`);
		const commits = await provider.commitsSince(stage.place, "main", since);
		expect(commits.find(({ message }) => message.startsWith("Revert"))?.message).to.contain(sha);
	});
});
