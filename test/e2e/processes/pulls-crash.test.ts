/**
 * kill -9 between the push, the pull request at the host, and its record, and between the merge and its record: a
 * repetition adopts what is there, and everything is told once.
 * Long: it kills and starts the platform five times.
 */
import { expect } from "chai";
import type { PullRequestView } from "#shared/contracts/git/pulls.ts";
import { ask, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { GitHubStage } from "../../support/providers/github/github-stage.ts";

describe("kill -9 in the middle of a pull request", function () {
	this.timeout(240_000);

	it("doubles nothing and loses nothing", async () => {
		await using github = await GitHubStage.open();
		const instances = [{ name: "hub", base_url: github.fake.apiUrl, token: github.token, orgs: ["acme"] }];
		await using platform = await startPlatform({ config: { git: { github: { instances } } } });
		const api = platform.client();
		const first = await platform.events();
		const url = github.fake.url.replace("http://", `http://x-access-token:${github.token}@`);
		const stored = await api.post("/credentials", { name: "hub", secret_type: "git_credential", data: { url } });
		expect(stored.status, stored.text).to.equal(201);
		const source = { type: "git", repo: github.url, branch: "fix", base_branch: "main" };
		const body = { name: "fix", source, credential_names: ["hub"] };
		const { id } = (await api.post<SessionView>("/sessions", body)).body;
		const { id: position } = await first.event(({ event }) => event === "session_created");
		await sessionReaches(api, id, "running");
		await ask(api, id, "$ echo key > engine.txt");
		await first.close();

		/** Sends a request to a platform that dies at the point. */
		async function dies(point: string, send: () => Promise<unknown>): Promise<void> {
			await platform.kill();
			const dying = platform.startProcess([], { ATELIER_FAILPOINTS: `${point}=kill` });
			platform.processes = [dying];
			await platform.ready();
			await sessionReaches(api, id, "running");
			expect(await send().catch(() => "no answer"), point).to.equal("no answer");
			await dying.ended();
		}

		const create = () => api.post<PullRequestView>("/repos/prs", { session_id: id });
		await dies("pulls.pushed", create);
		const pushed = github.repository.git.commitOf("fix");
		expect(pushed).to.be.a("string");
		expect(github.fake.state.pulls).to.have.length(0);
		await dies("pulls.opened", create);
		expect(github.fake.state.pulls).to.have.length(1);
		await dies("pulls.written", create);
		await platform.start();
		await sessionReaches(api, id, "running");
		const { status, body: pull } = await create();
		expect(status).to.equal(201);
		expect(pull).to.include({ number: github.fake.state.pulls[0]?.number, head_sha: pushed, session_id: id });
		expect(github.fake.state.pulls).to.have.length(1);
		expect(github.repository.git.ahead("main", "fix"), "one commit").to.equal(1);

		const path = `/repos/prs/${pull.number}/merge?repo_url=${encodeURIComponent(github.url)}`;
		await dies("pulls.merged", () => api.post(path, {}));
		expect(github.fake.state.pulls[0]?.merged_at).to.be.a("string");
		await platform.start();
		for (const _ of [1, 2]) expect((await api.post(path, {})).body).to.include({ merged: true });
		await using stream = await platform.events({ lastEventId: position ?? "" });
		await stream.event(({ event }) => event === "pr_merged");
		const told = stream.events.map(({ event }) => event).filter((event) => event.startsWith("pr_"));
		expect(told).to.deep.equal(["pr_created", "pr_merged"]);
		expect(github.fake.violations).to.deep.equal([]);
	});
});
