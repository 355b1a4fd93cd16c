/**
 * kill -9 in the middle of pull requests, evaluations, webhooks, and mappings and moves of issues: what was acknowledged is there, a
 * repetition adopts what is there, and everything is told once.
 * Night: it kills and starts the platform some twenty times.
 */
import { expect } from "chai";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Evaluation } from "#shared/contracts/git/confidence.ts";
import type { PullRequestView } from "#shared/contracts/git/pulls.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { SessionIssues } from "#shared/contracts/tracker/issues.ts";
import type { Mapping } from "#shared/contracts/tracker/mappings.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { type CrashRow, testCrashes } from "../../support/crash-rows.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { GitHubStage } from "../../support/providers/github/github-stage.ts";
import { startLinearFake } from "../../support/providers/linear/linear-fake.ts";
import { fileUrl, makeRepository } from "../../support/repositories/git-repository.ts";

const secret = "a secret for webhooks";

/** Returns what GitHub sends when a pull request was merged. */
function mergeOf(html_url: string, number: number) {
	const pull = { number, state: "closed", merged: true, head: { sha: "a".repeat(40) } };
	const updated_at = "2026-11-20T10:00:00Z";
	const body = JSON.stringify({ pull_request: { ...pull, updated_at }, repository: { html_url } });
	const headers = {
		"x-github-event": "pull_request",
		"x-github-delivery": `4f0e1c52-0000-4000-8000-00000000000${number}`,
		"x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
	};
	return { body, headers };
}

describe("kill -9 in the middle of work with git hosts and trackers", function () {
	this.timeout(240_000);
	let github: GitHubStage;
	let linear: Awaited<ReturnType<typeof startLinearFake>>;
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		github = await GitHubStage.open();
		linear = await startLinearFake();
		const instance = { name: "github", base_url: github.fake.apiUrl, token: github.token, orgs: ["acme"] };
		platform = await startPlatform({
			config: {
				git: { github: { webhook_secret: secret, instances: [instance] } },
				linear: { enabled: true, api_key: "lin_api_ada", api_url: linear.url },
			},
		});
		api = platform.client();
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await linear?.[Symbol.asyncDispose]();
		await github?.[Symbol.asyncDispose]();
	});

	describe("pull requests", () => {
		let id: string;
		let position: string;
		let pushed: string | undefined;
		let mergePath: string;
		const given = () => sessionReaches(api, id, "running");
		const create = () => api.post<PullRequestView>("/repos/prs", { session_id: id });
		const merge = () => api.post(mergePath, {});

		before(async () => {
			await using stream = await platform.events();
			const url = github.fake.url.replace("http://", `http://x-access-token:${github.token}@`);
			const stored = await api.post("/credentials", { name: "hub", secret_type: "git_credential", data: { url } });
			expect(stored.status, stored.text).to.equal(201);
			const source = { type: "git", repo: github.url, branch: "fix", base_branch: "main" };
			const body = { name: "fix", source, credential_names: ["hub"] };
			({ id } = (await api.post<SessionView>("/sessions", body)).body);
			position = (await stream.event(({ event }) => event === "session_created")).id ?? "";
			await sessionReaches(api, id, "running");
			await ask(api, id, "$ echo key > engine.txt");
		});

		testCrashes(
			() => platform,
			[
				{
					change: "the creation, after the push",
					point: "pulls.pushed",
					given,
					send: create,
					shows: async () => {
						pushed = github.repository.git.commitOf("fix");
						expect(pushed).to.be.a("string");
						expect(github.fake.state.pulls).to.have.length(0);
					},
				},
				{
					change: "the creation, after that at the host",
					point: "pulls.opened",
					given,
					send: create,
					shows: async () => expect(github.fake.state.pulls).to.have.length(1),
				},
				{
					change: "the creation, after its record",
					point: "pulls.written",
					given,
					send: create,
					allows: async () => {
						await given();
						const { status, body: pull } = await create();
						expect(status).to.equal(201);
						expect(pull).to.include({ number: github.fake.state.pulls[0]?.number, head_sha: pushed, session_id: id });
						expect(github.fake.state.pulls).to.have.length(1);
						expect(github.repository.git.ahead("main", "fix"), "one commit").to.equal(1);
						mergePath = `/repos/prs/${pull.number}/merge?repo_url=${encodeURIComponent(github.url)}`;
					},
				},
				{
					change: "the merge",
					point: "pulls.merged",
					given,
					send: merge,
					allows: async () => {
						expect(github.fake.state.pulls[0]?.merged_at).to.be.a("string");
						for (const _ of [1, 2]) expect((await merge()).body).to.include({ merged: true });
						await using stream = await platform.events({ lastEventId: position });
						await stream.event(({ event }) => event === "pr_merged");
						const told = stream.events.map(({ event }) => event).filter((event) => event.startsWith("pr_"));
						expect(told).to.deep.equal(["pr_created", "pr_merged"]);
						expect(github.fake.violations).to.deep.equal([]);
					},
				},
			],
		);
	});

	describe("evaluations and webhooks", () => {
		let kept: string;
		let settled: Evaluation;
		const facts = { tests_pass: true, lines_changed: 1, files_changed: 1 };
		const all = async () => (await api.get<Evaluation[]>("/repos/confidence")).body;
		const ids = async () => (await all()).map(({ id }) => id);
		const evaluate = async (key: string) =>
			(await api.post<Evaluation>("/repos/confidence", facts, { headers: { "idempotency-key": key } })).body.id;
		const tell = (url: string, number: number) => {
			const { body, headers } = mergeOf(url, number);
			return api.post("/webhooks/github", body, { headers });
		};
		const tellOfOther = () => tell(`${github.fake.url}/acme/shop`, 7);

		before(async () => {
			kept = await evaluate("kept");
		});

		testCrashes(
			() => platform,
			[
				{
					change: "an evaluation",
					point: "confidence.written",
					send: () => evaluate("killed"),
					allows: async () => {
						expect(await ids())
							.to.include(kept)
							.and.have.length.within(1, 2);
						const killed = await evaluate("killed");
						expect(await evaluate("killed")).to.equal(killed);
						expect(await ids()).to.have.members([kept, killed]);
					},
				},
				{
					change: "a webhook",
					point: "webhooks.remembered",
					send: tellOfOther,
					allows: async () => {
						const before = await ids();
						for (const _ of [1, 2]) expect((await tellOfOther()).status).to.equal(204);
						expect(await ids())
							.to.have.members(before)
							.and.have.length(2);
					},
				},
				{
					change: "a webhook about the fate of an evaluated pull request",
					point: "confidence.settled",
					given: async () => {
						github.push("cart", { "src/cart.txt": "1\n" });
						const { number } = await opened(github);
						const asked = { repo_url: github.url, number };
						settled = (await api.post<Evaluation>("/repos/confidence", asked)).body;
					},
					send: () => tell(github.url, settled.number ?? 0),
					allows: async () => {
						expect((await tell(github.url, settled.number ?? 0)).status).to.equal(204);
						const known = (await all()).filter(({ number }) => number === settled.number);
						expect(known.map(({ id }) => id)).to.deep.equal([settled.id]);
						expect(known[0]?.outcome).to.include({ state: "merged", merged_at: "2026-11-20T10:00:00.000Z" });
						expect(github.fake.violations).to.deep.equal([]);
					},
				},
			],
		);
	});

	describe("mappings and moves of issues", () => {
		let folder: string;
		let repo: string;
		const issues = ["ENG-1", "ENG-2"];
		const map = (repo_url: string) =>
			api.post<Mapping>("/tracker/mappings", { repo_url, project_id: "ENG", on_start: "In Progress" });
		const mapped = async () => (await api.get<Mapping[]>("/tracker/mappings")).body.map(({ repo_url }) => repo_url);
		const nameOf = (issue: string) => `crash-${issue.toLowerCase()}`;

		before(async () => {
			folder = mkdtempSync(join(tmpdir(), "atelier-tracker-crash-"));
			repo = fileUrl(makeRepository(join(folder, "repository")));
			for (const identifier of issues) linear.add({ identifier, title: identifier });
			expect((await map(repo)).status).to.equal(201);
		});
		after(() => rmSync(folder, { recursive: true, force: true }));

		/** Resolves when the moves of so many sessions are done, one of each. */
		async function expectMoved(count: number): Promise<void> {
			const sessions = (await api.get<Session[]>("/sessions")).body;
			const started = sessions.filter(({ name }) => issues.map(nameOf).includes(name));
			expect(started).to.have.length(count);
			for (const { id } of started) {
				const moves = await eventually(
					async () => {
						const read = (await api.get<SessionIssues>(`/sessions/${id}/issues`)).body.moves;
						return read[0]?.state === "done" && read;
					},
					{ withinMs: 60_000, what: `the move of session ${id} is done` },
				);
				expect(moves).to.have.length(1);
			}
		}

		const start = (issue_id: string) => {
			const source = { type: "git", repo, branch: "main" };
			return api.post("/sessions", { name: nameOf(issue_id), source, issue_id });
		};
		const moveRow = (point: string, place: number): CrashRow => ({
			change: "the start of a session with an issue",
			point,
			send: () => start(issues[place] ?? ""),
			mayAnswer: true,
			allows: () => expectMoved(place + 1),
		});

		testCrashes(
			() => platform,
			[
				{
					change: "a mapping",
					point: "mappings.written",
					given: async () => expect(await mapped(), "acknowledged before a kill").to.deep.equal([repo]),
					send: () => map("https://git.example/org/late"),
				},
				// It dies when it has read the event and noted nothing, and before the move counts as made.
				moveRow("issue-moves.read", 0),
				moveRow("issue-moves.moved", 1),
			],
		);

		it("have each taken effect once", async () => {
			expect(await mapped()).to.include(repo);
			for (const identifier of issues) expect(linear.stateOf(identifier)).to.equal("In Progress");
			expect(linear.operations.filter((operation) => operation === "Update")).to.have.length(2);
		});
	});
});

/** Opens a pull request of the branch "cart". */
async function opened({ fake, token }: GitHubStage): Promise<{ number: number }> {
	const answer = await fetch(`${fake.apiUrl}/repos/acme/engine/pulls`, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify({ title: "Add the cart", body: "", head: "cart", base: "main", draft: false }),
	});
	return answer.json();
}
