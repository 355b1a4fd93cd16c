/**
 * The whole way of a change, as a person goes it: an issue, a session on a repository of a GitHub, a change by the
 * agent, a pull request, checks and a review, the confidence in the merge, the merge, and the issue that moves.
 * Main: the way of a change out into the world.
 */
import { expect } from "chai";
import type { PullRequestView } from "#shared/contracts/git/pulls.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { GitHubStage } from "../../support/providers/github/github-stage.ts";
import { git } from "../../support/repositories/git-repository.ts";
import { type LinearFake, startLinearFake } from "../../support/providers/linear/linear-fake.ts";

interface Confidence {
	score: number;
	action: string;
	head_sha: string;
	evidence: { factor: string; value: number; proofs: { what: string; where: string | null; when: string | null }[] }[];
}

describe("a change on its way from a session into the target branch", function () {
	this.timeout(120_000);
	let github: GitHubStage;
	let linear: LinearFake;
	let platform: TestPlatform;
	let api: ApiClient;
	let stream: SseClient;

	before(async () => {
		github = await GitHubStage.open();
		linear = await startLinearFake("lin_api_flow", "ada");
		linear.add({ identifier: "ENG-1", title: "The engine does not start", project: "ENG" });
		const hosts = [github.fake.url, linear.url].map((url) => new URL(url).origin);
		platform = await startPlatform({
			config: {
				outbound: { allow: hosts },
				linear: { enabled: true, api_key: "lin_api_flow", api_url: linear.url },
			},
		});
		api = platform.client();
		stream = await platform.events();
	});
	after(async () => {
		await stream?.close();
		await platform?.[Symbol.asyncDispose]();
		await github?.[Symbol.asyncDispose]();
		await linear?.[Symbol.asyncDispose]();
	});

	async function post<T>(path: string, body: object, expected = 201): Promise<T> {
		const { status, body: answer, text } = await api.post<T>(path, body);
		if (status !== expected) throw new Error(`POST ${path}: ${status} ${text}`);
		return answer;
	}

	it("is pushed, reviewed, found good, merged and told, and its issue moves", async () => {
		await post("/credentials", { name: "github", secret_type: "api_key", data: { token: github.token } });
		await post("/integrations", {
			slug: "github",
			integration_type: "source_control",
			adapter: "",
			credential_name: "github",
			config: { base_url: github.fake.apiUrl },
		});
		await post("/tracker/mappings", { repo_url: github.url, project_id: "ENG", on_merge: "Done" });
		const source = { type: "git", repo: github.url, branch: "fix/engine", base_branch: "main" };
		const { id } = await post<Session>("/sessions", { name: "fix-engine", source, issue_id: "ENG-1" });
		await sessionReaches(api, id, "running", 60_000);
		await ask(api, id, "$ echo 'turn the key' > engine.txt && echo 'test the key' > engine.test.txt");

		// A stranger's branch of the same name, in a fork, is not the session's.
		const foreign = github.openFromFork("fix/engine");
		expect((await api.get(`/sessions/${id}/pr`)).status).to.equal(404);
		const request = { session_id: id, title: "Start the engine", target_branch: "main", labels: ["bug"] };
		const pull = await post<PullRequestView>("/repos/prs", request);
		expect(pull).to.include({
			title: "Start the engine",
			source_branch: "fix/engine",
			target_branch: "main",
			status: "open",
			session_id: id,
		});
		expect(pull.number).to.not.equal(foreign);
		const created = await stream.event(({ event }) => event === "pr_created");
		expect(JSON.parse(created.data)).to.deep.equal({
			session_id: id,
			pr_number: pull.number,
			pr_url: pull.url,
			repo_url: github.url,
		});
		expect(github.repository.git.commitOf("fix/engine")).to.equal(pull.head_sha);
		const { number, head_sha } = pull;
		expect(await post<PullRequestView>("/repos/prs", request)).to.include({ number, head_sha });

		github.check("fix/engine", "build", "passing");
		github.review(pull.number, "approved");
		const named = `repo_url=${encodeURIComponent(github.url)}`;
		const { body: seen } = await api.get<PullRequestView>(`/repos/prs/${pull.number}?${named}`);
		expect(seen).to.include({ ci_status: "passing", review_status: "approved" });
		const { body: ofSession } = await api.get(`/sessions/${id}/pr`);
		expect(ofSession).to.deep.include({ pr_id: String(pull.number), state: "open", ci_passed: true });

		const asked = { repo_url: github.url, number: pull.number, head_sha: pull.head_sha };
		const confidence = await post<Confidence>("/repos/confidence", asked, 200);
		expect(confidence.score, JSON.stringify(confidence)).to.be.at.least(0.9);
		expect(confidence).to.include({ action: "auto_merge", head_sha: pull.head_sha });
		for (const [factor, said] of [
			["ci", "build"],
			["review", "grace"],
			["size", "2"],
		] as const) {
			const { proofs = [] } = confidence.evidence.find((one) => one.factor === factor) ?? {};
			expect(proofs.map(({ what }) => what).join("\n"), factor).to.contain(said);
			if (factor !== "size") for (const { when, where } of proofs) expect(when && where, factor).to.be.a("string");
		}

		// Every form of the URL names the same repository.
		const form = `git@${new URL(github.url).hostname}:Acme/Engine.git`;
		const merge = `/repos/prs/${pull.number}/merge?repo_url=${encodeURIComponent(form)}`;
		const stale = await api.post<{ type: string }>(merge, { expected_head_sha: "0".repeat(40) });
		expect(stale.status, stale.text).to.equal(409);
		await post(merge, { merge_method: "squash", expected_head_sha: pull.head_sha }, 200);
		expect(git(github.repository.git.path, ["ls-tree", "--name-only", "main"])).to.contain("engine.txt");
		await post(merge, {}, 200);
		const merged = await stream.event(({ event }) => event === "pr_merged");
		expect(JSON.parse(merged.data)).to.deep.equal({
			session_id: id,
			pr_number: pull.number,
			repo_url: github.url,
			merge_method: "squash",
		});
		await eventually(() => linear.issues[0]?.state.name === "Done", { withinMs: 30_000, what: "the issue is done" });
		for (const name of ["pr_created", "pr_merged"])
			expect(
				stream.events.filter(({ event }) => event === name),
				name,
			).to.have.length(1);
		expect(github.fake.violations).to.deep.equal([]);
	});
});
