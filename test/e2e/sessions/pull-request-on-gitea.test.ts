/**
 * The way of a change at a real git host that a person connects: a private repository is cloned with the person's own
 * token, the agent changes a file, and the host's own checks, review and merge decide.
 * Night: Gitea takes some seconds to start, and checks pull requests in the background.
 */
import { expect } from "chai";
import type { PullRequestView } from "#shared/contracts/git/pulls.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { GiteaStage } from "../../support/providers/gitea/gitea-stage.ts";

interface Confidence {
	readonly score: number;
	readonly action: string;
	readonly head_sha: string;
}

const withinMs = 60_000;

describe("a change on its way to a Gitea", function () {
	this.timeout(300_000);
	let gitea: GiteaStage;
	let platform: TestPlatform;
	let api: ApiClient;
	let stream: SseClient;

	before(async () => {
		gitea = await GiteaStage.open();
		// A server of the private network is reached by connections of users only when the operator names it.
		platform = await startPlatform({ config: { outbound: { allow: [gitea.server.url] } } });
		api = platform.client();
		stream = await platform.events();
	});
	after(async () => {
		await stream?.close();
		await platform?.[Symbol.asyncDispose]();
		await gitea?.[Symbol.asyncDispose]();
	});

	async function post<T>(path: string, body: object, expected = 201): Promise<T> {
		const { status, body: answer, text } = await api.post<T>(path, body);
		if (status !== expected) throw new Error(`POST ${path}: ${status} ${text}`);
		return answer;
	}

	/** Connects the Gitea with the person's own token. */
	async function connect(): Promise<string> {
		await post("/credentials", { name: "gitea", secret_type: "api_key", data: { token: gitea.token } });
		const settings = { slug: "gitea", integration_type: "source_control", credential_name: "gitea" };
		const { id } = await post<{ id: string }>("/integrations", { ...settings, config: { base_url: gitea.server.url } });
		const tested = await post<{ success: boolean; user: string | null }>(`/integrations/${id}/test`, {}, 200);
		expect(tested, JSON.stringify(tested)).to.include({ success: true, user: "ada" });
		return id;
	}

	/** Lets the agent work, and opens the pull request. */
	async function opened(): Promise<PullRequestView> {
		const source = { type: "git", repo: gitea.url, branch: "fix/engine", base_branch: "main" };
		const { id } = await post<Session>("/sessions", { name: "fix-engine", source });
		await sessionReaches(api, id, "running", withinMs);
		await ask(api, id, "$ echo 'turn the key' > engine.txt && echo 'test the key' > engine.test.txt");
		return post<PullRequestView>("/repos/prs", { session_id: id, title: "Start the engine", labels: ["bug"] });
	}

	async function mergedOn(branch: string): Promise<string[]> {
		const found = await gitea.server.call("ada", "GET", `/repos/acme/engine/contents?ref=${branch}`);
		return (found as { name: string }[]).map(({ name }) => name);
	}

	it("is cloned, pushed, judged, merged, and is on the server", async () => {
		await connect();
		const named = `repo_url=${encodeURIComponent(gitea.url)}`;
		expect((await api.get(`/repos/branches?${named}`)).body).to.deep.equal(["main"]);
		const { number, head_sha, session_id, status } = await opened();
		expect([status, head_sha]).to.deep.equal(["open", gitea.commitOf("fix/engine")]);

		const confidence = (expected = 200) =>
			post<Confidence>("/repos/confidence", { repo_url: gitea.url, number, head_sha }, expected);
		expect((await confidence()).action, "without checks and reviews").to.not.equal("auto_merge");
		await gitea.check(head_sha, "build", "passing");
		await gitea.review(number, "approved");
		const good = await eventually(
			async () => {
				const now = await confidence();
				return now.action === "auto_merge" ? now : undefined;
			},
			{ withinMs, what: "the merge is recommended" },
		);
		expect(good.score).to.be.at.least(0.9);

		const merge = `/repos/prs/${number}/merge?${named}`;
		const { sha } = await post<{ sha: string }>(merge, { merge_method: "squash", expected_head_sha: head_sha }, 200);
		expect(gitea.commitOf("main")).to.equal(sha);
		expect(await mergedOn("main")).to.include.members(["engine.txt", "engine.test.txt"]);
		const merged = await stream.event(({ event }) => event === "pr_merged", { withinMs });
		expect(JSON.parse(merged.data)).to.deep.include({ session_id, pr_number: number, merge_method: "squash" });
		expect((await api.get(`/sessions/${session_id}/pr`)).body).to.deep.include({ state: "merged" });
		expect(platform.output).not.to.contain(gitea.token);
	});
});
