/** The git provider GitLab at the validating fake. */
import { expect } from "chai";
import { loadAdapter } from "#shared/config/adapter.ts";
import { type GitProvider, gitProviderMethods } from "#services/git/providers/git-provider.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import { failureOf } from "../../support/failure-of.ts";
import { GitLabStage } from "../../support/providers/gitlab/gitlab-stage.ts";
import { gitProviderContract } from "./git-provider.contract.ts";

const closed = { allow: [], ports: [], refuse: [], proxy: "", proxy_resolves: false };
const adapter = { adapter: "services/git/git-providers/gitlab/gitlab.ts#Provider", kwargs: {}, secret_kwargs_env: {} };

function gitLab(options: object): Promise<GitProvider> {
	return loadAdapter<GitProvider>(adapter, gitProviderMethods, {
		name: "gitlab",
		orgs: [],
		isConfigured: true,
		...options,
	});
}

gitProviderContract({
	name: "GitLab",
	async open() {
		const outbound = new Outbound(closed);
		const stage = await GitLabStage.open();
		const made = (token: string) => gitLab({ base_url: stage.fake.url, token, outbound });
		return {
			provider: await made(stage.token),
			user: stage.user,
			place: stage.place,
			withToken: made,
			push: async (branch, files, message) => stage.push(branch, files, message),
			pushBranches: async (prefix, count) => stage.pushBranches(prefix, count),
			check: async (branch, name, state) => stage.check(branch, name, state),
			openFromFork: async (branch) => stage.openFromFork(branch),
			review: async (number, state) => stage.review(number, state),
			violations: () => stage.fake.violations,
			async [Symbol.asyncDispose]() {
				outbound.close();
				await stage[Symbol.asyncDispose]();
			},
		};
	},
});

describe("GitLab beyond the port", () => {
	let outbound: Outbound;
	let stage: GitLabStage;
	let provider: GitProvider;
	before(async () => {
		outbound = new Outbound(closed);
		stage = await GitLabStage.open();
		provider = await gitLab({ base_url: `${stage.fake.url}/api/v4`, token: stage.token, outbound });
	});
	after(async () => {
		outbound?.close();
		const violations = stage?.fake.violations;
		await stage?.[Symbol.asyncDispose]();
		expect(violations).to.deep.equal([]);
	});

	async function opened(head: string, files: Record<string, string> = { [`${head}.txt`]: "1\n" }) {
		stage.push(head, files);
		return provider.openPull(stage.place, {
			title: "Work",
			description: "",
			head,
			base: "main",
			labels: ["one, two", "three"],
			draft: false,
		});
	}

	it("lists the projects of a group and of the groups below it, and those of a person", async () => {
		stage.fake.state.addProject("ada/own", stage.project.git.path);
		const names = async (org: string) =>
			(await provider.repositories(org)).map(({ org: group, name }) => `${group}/${name}`);
		expect(await names("acme")).to.deep.equal(["acme/motors/engine"]);
		expect(await names("ada")).to.deep.equal(["ada/own"]);
		expect(await failureOf(provider.repositories("nobody"))).to.include({ code: 404 });
	});

	it("makes one label of one with a comma", async () => {
		const { number } = await opened("labels");
		expect(stage.request(number).labels).to.deep.equal(["one  two", "three"]);
	});

	it("asks again until GitLab knows whether it can merge, and not for ever", async () => {
		const { number } = await opened("slow");
		stage.request(number).checking = 2;
		expect((await provider.pull(stage.place, number)).mergeable).to.equal(true);
		stage.request(number).checking = 1_000;
		expect((await provider.pull(stage.place, number)).mergeable).to.equal(null);
		expect(1_000 - stage.request(number).checking).to.equal(4);
	}).timeout(20_000);

	it("names the rule that forbids a merge", async () => {
		const { number, head_sha } = await opened("ruled");
		stage.request(number).blocked = "not_approved";
		const error = await failureOf(
			provider.mergePull(stage.place, number, { method: "merge", expected_head: head_sha }),
		);
		expect(error).to.include({ code: 409, type: "PULL_NOT_MERGEABLE" });
		expect(String(error)).to.contain("not_approved");
	});

	it("has no rebase of one merge request", async () => {
		const { number, head_sha } = await opened("rebase");
		const rebase = provider.mergePull(stage.place, number, { method: "rebase", expected_head: head_sha });
		expect(await failureOf(rebase)).to.include({ code: 422, type: "MERGE_METHOD_REFUSED" });
	});

	it("tells the commit of an approval, and the wish for changes", async () => {
		const { number, head_sha } = await opened("reviewed");
		stage.review(number, "approved");
		stage.push("reviewed", { "more.txt": "more\n" });
		stage.review(number, "changes_requested");
		const { reviews, head_sha: newer } = await provider.evidence(stage.place, number);
		expect(newer).to.not.equal(head_sha);
		expect(reviews.map(({ author, state, commit }) => [author, state, commit])).to.deep.equal([
			["grace", "approved", head_sha],
			["grace", "changes_requested", null],
		]);
	});

	it("leaves jobs that may fail to their pipeline, and does not take a skipped pipeline for a success", async () => {
		const { number } = await opened("jobs");
		stage.check("jobs", "build", "passing");
		const may = { name: "docs", status: "failed", allow_failure: true };
		stage.fake.state.setStatus(stage.project, "jobs", may);
		expect(await provider.ciStatus(stage.place, "jobs")).to.equal("passing");
		const { checks } = await provider.evidence(stage.place, number);
		expect(checks.map(({ name }) => name))
			.to.include("build")
			.and.not.include("docs");
		await opened("skipped");
		stage.fake.state.setStatus(stage.project, "skipped", { name: "build", status: "skipped", allow_failure: false });
		expect(await provider.ciStatus(stage.place, "skipped")).to.equal("unknown");
	});
});
