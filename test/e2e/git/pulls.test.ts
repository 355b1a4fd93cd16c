/** Pull requests of sessions at a GitHub: who may open them, with whose credential, and what a merge is refused for. */
import { expect } from "chai";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PullRequestView } from "#shared/contracts/git/pulls.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { ask, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { GitHubStage } from "../../support/providers/github/github-stage.ts";

const users = [
	{ token: "token-of-ada", id: "ada", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-dora", id: "dora", tenant: "acme", roles: ["admin"] },
];

interface Refusal {
	detail: string;
}

describe("pull requests of sessions", function () {
	this.timeout(120_000);
	let github: GitHubStage;
	let platform: TestPlatform;
	let ada: ApiClient;
	let id: string;

	const client = (name: string): ApiClient => platform.client({ authorization: `Bearer token-of-${name}` });
	const path = (number: number, rest = ""): string =>
		`/repos/prs/${number}${rest}?repo_url=${encodeURIComponent(github.url)}`;
	const create = (api: ApiClient, more: object = {}, headers: Record<string, string> = {}) =>
		api.post<PullRequestView & Refusal>("/repos/prs", { session_id: id, ...more }, { headers });

	before(async () => {
		github = await GitHubStage.open();
		const instances = [{ name: "hub", base_url: github.fake.apiUrl, token: github.token, orgs: ["acme"] }];
		const config = {
			identity: { kwargs: { users } },
			git: { github: { instances }, allowed_protocols: ["http", "https"] },
			outbound: { allow: [github.fake.url] },
		};
		platform = await startPlatform({ config });
		ada = client("ada");
		const source = { type: "git", repo: github.url, branch: "work", base_branch: "main" };
		id = (await ada.post<SessionView>("/sessions", { name: "work", source })).body.id;
		await sessionReaches(ada, id, "running");
		await ask(ada, id, "$ echo key > engine.txt");
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await github?.[Symbol.asyncDispose]();
	});

	it("are opened by the owner of the session only", async () => {
		expect((await create(client("bob"))).status).to.equal(404);
		expect((await create(client("dora"))).status).to.equal(403);
		expect(github.repository.git.commitOf("work")).to.equal(undefined);
	});

	it("never get the platform's own token into a pod", async () => {
		const { status, headers, body } = await create(ada);
		expect([status, headers.get("x-error-code")]).to.deep.equal([400, "CONNECTION_MISSING"]);
		expect(body.detail).to.include('Connect your account there (POST /integrations with the slug "github")');
		const below = readdirSync(platform.dataDir, { recursive: true, withFileTypes: true });
		const files = below.filter((entry) => entry.isFile() && !entry.parentPath.includes("/cache"));
		for (const entry of files)
			expect(readFileSync(join(entry.parentPath, entry.name), "latin1"), entry.name).not.to.contain(github.token);
	});

	it("are pushed with the person's own connection; requests at the same moment open one", async () => {
		await ada.post("/credentials", { name: "hub", secret_type: "api_key", data: { token: github.token } });
		const connected = await ada.post("/integrations", {
			slug: "github",
			integration_type: "source_control",
			adapter: "",
			credential_name: "hub",
			config: { base_url: github.fake.apiUrl },
		});
		expect(connected.status, connected.text).to.equal(201);
		const answers = await Promise.all(
			[1, 2, 3].map(() => create(ada, { title: "Start it" }, { "idempotency-key": "k" })),
		);
		expect(answers.map(({ status, text }) => (status === 201 ? 201 : text))).to.deep.equal([201, 201, 201]);
		expect(new Set(answers.map(({ body }) => body.number)).size).to.equal(1);
		expect(github.fake.state.pulls).to.have.length(1);
		expect(github.repository.git.ahead("main", "work"), "one commit").to.equal(1);
		const other = await create(ada, { title: "Another" }, { "idempotency-key": "k" });
		expect([other.status, other.headers.get("x-error-code")]).to.deep.equal([422, "IDEMPOTENCY_KEY_REUSED"]);
		const logs = await ada.get(`/sessions/${id}/logs?lines=2000`);
		expect(logs.text).to.contain("To http://").and.not.contain(github.token);
	});

	it("show their session to those who may see it", async () => {
		const [pull] = github.fake.state.pulls;
		const number = pull?.number ?? 0;
		for (const [name, seen] of [
			["ada", id],
			["dora", id],
			["bob", null],
		] as const) {
			const { body } = await client(name).get<PullRequestView>(path(number));
			expect(body, name).to.include({ number, session_id: seen });
		}
		expect((await client("bob").get(`/sessions/${id}/pr`)).status).to.equal(404);
		expect((await client("dora").get(`/sessions/${id}/pr`)).status).to.equal(200);
	});

	it("refuse a merge by its reason", async () => {
		const number = github.fake.state.pulls[0]?.number ?? 0;
		const refusal = async (body: object = {}): Promise<unknown> => {
			const { status, headers } = await ada.post(path(number, "/merge"), body);
			return [status, headers.get("x-error-code")];
		};
		expect(await refusal({ expected_head_sha: "0".repeat(40) })).to.deep.equal([409, "PULL_HEAD_MOVED"]);
		github.repository.blocked = "At least 1 approving review is required";
		expect(await refusal()).to.deep.equal([409, "PULL_NOT_MERGEABLE"]);
		delete github.repository.blocked;
		github.push("main", { "engine.txt": "another key\n" });
		expect(await refusal()).to.deep.equal([409, "PULL_CONFLICT"]);
		expect((await ada.post(path(number + 1, "/merge"), {})).status).to.equal(404);
		const draft = await create(ada, { draft: true, target_branch: "main" });
		expect(draft.body.number, "the open one is adopted").to.equal(number);
	});

	it("are opened without a pod when the branch is there, and otherwise say that the session has to start", async () => {
		await ada.post(`/sessions/${id}/stop`);
		await sessionReaches(ada, id, "stopped");
		expect((await create(ada)).status).to.equal(201);
		const number = github.fake.state.pulls[0]?.number ?? 0;
		const source = { type: "git", repo: github.url, branch: "main" };
		const second = (await ada.post<SessionView>("/sessions", { name: "second", source })).body.id;
		await sessionReaches(ada, second, "running");
		await ada.post(`/sessions/${second}/stop`);
		await sessionReaches(ada, second, "stopped");
		const { status, body } = await create(ada, { session_id: second });
		expect(status).to.equal(409);
		expect(body.detail).to.contain(`atelier/session/${second}`).and.contain("start the session");
		expect(github.fake.state.pulls.map((pull) => pull.number)).to.deep.equal([number]);
		expect(github.fake.violations).to.deep.equal([]);
	});
});
