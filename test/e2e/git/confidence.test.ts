/** Merge confidence of pull requests at a GitHub: evidence, heads that move, a merge told by a webhook, a revert. */
import { expect } from "chai";
import { createHmac } from "node:crypto";
import type { Evaluation } from "#shared/contracts/git/confidence.ts";
import { unknownId } from "../../support/conformance/request.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { GitHubStage } from "../../support/providers/github/github-stage.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-dora", id: "dora", tenant: "acme", roles: ["admin"] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];
const secret = "a secret for webhooks";

interface Report {
	bands: { evaluated: number; merged: number; reverted: number; unchecked: number }[];
}

describe("merge confidence at a git provider", function () {
	this.timeout(60_000);
	let platform: TestPlatform;
	let stage: GitHubStage;
	const api = (name: string): ApiClient => platform.client({ authorization: `Bearer token-of-${name}` });

	before(async () => {
		stage = await GitHubStage.open();
		const hub = { base_url: stage.fake.apiUrl, token: stage.token, webhook_secret: secret };
		const config = { identity: { kwargs: { users } }, git: { github: hub } };
		platform = await startPlatform({ config });
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		const violations = stage?.fake.violations;
		await stage?.[Symbol.asyncDispose]();
		expect(violations).to.deep.equal([]);
	});

	/** Opens a pull request of a new branch with these files. */
	async function opened(head: string, files: Record<string, string>): Promise<{ number: number; head_sha: string }> {
		const head_sha = stage.push(head, files);
		const answer = await fetch(`${stage.fake.apiUrl}/repos/acme/engine/pulls`, {
			method: "POST",
			headers: { authorization: `Bearer ${stage.token}`, "content-type": "application/json" },
			body: JSON.stringify({ title: `Add ${head}`, body: "", head, base: "main", draft: false }),
		});
		const { number }: { number: number } = await answer.json();
		return { number, head_sha };
	}

	async function judged(number: number, more: object = {}, who = "alice"): Promise<Evaluation> {
		const body = { repo_url: stage.url, number, ...more };
		const answer = await api(who).post<Evaluation>("/repos/confidence", body);
		expect(answer.status, answer.text).to.equal(200);
		return answer.body;
	}

	/** The message that GitHub sends. */
	function told(number: number, head_sha: string, { state = "closed", merged = true, key = secret } = {}) {
		const updated_at = new Date(Date.now() + 1_000).toISOString();
		const body = JSON.stringify({
			pull_request: { number, state, merged, head: { sha: head_sha }, updated_at },
			repository: { html_url: stage.url },
		});
		const headers = {
			"x-github-event": "pull_request",
			"x-github-delivery": crypto.randomUUID(),
			"x-hub-signature-256": `sha256=${createHmac("sha256", key).update(body).digest("hex")}`,
		};
		return platform.client().post("/webhooks/github", body, { headers });
	}

	it("grows with the evidence, and says where it comes from", async () => {
		const { number, head_sha } = await opened("cart", { "src/cart.txt": "1\n2\n" });
		const first = await judged(number);
		expect(first).to.include({ action: "require_approval", head_sha, number, repo_url: stage.url });
		expect(first.factors).to.include({ ci: 0, review: 0, mergeable: 1, size: 1 });
		stage.check("cart", "build", "pending");
		expect((await judged(number)).reason).to.contain("the CI is pending");
		stage.check("cart", "build", "passing");
		stage.check("cart", "status-deploy", "passing");
		stage.review(number, "approved");
		const good = await judged(number, { head_sha });
		expect(good, JSON.stringify(good.evidence)).to.include({ score: 0.955, action: "auto_merge" });
		const proofs = new Map(good.evidence.map(({ factor, proofs: found }) => [factor, found]));
		expect(proofs.get("ci")?.map(({ what }) => what)).to.have.members([
			'Check "build" is passing',
			'Check "status-deploy" is passing',
		]);
		const [approval] = proofs.get("review") ?? [];
		expect(approval).to.include({ what: '"grace" approved this commit' });
		expect(approval?.where).to.match(/^https?:/);
		expect(approval?.when).to.match(/^20\d\d-/);
		expect((await judged(number, { tests_pass: false })).score).to.equal(0);
		expect((await judged(number, { lines_changed: 400, change_categories: ["docs"] })).score).to.equal(0.795);
		stage.check("cart", "build", "failing");
		expect(await judged(number)).to.deep.include({ score: 0, factors: { tests: 0 }, action: "require_approval" });
	});

	it("is about one head: approvals and checks of an older commit do not count, and a stale head is refused", async () => {
		const { number, head_sha } = await opened("moving", { "src/moving.txt": "1\n" });
		stage.check("moving", "build", "passing");
		stage.review(number, "approved");
		expect((await judged(number)).action).to.equal("auto_merge");
		const newer = stage.push("moving", { "src/moving.txt": "2\n" });
		const stale = await api("alice").post("/repos/confidence", { repo_url: stage.url, number, head_sha });
		expect([stale.status, stale.headers.get("x-error-code")]).to.deep.equal([409, "HEAD_MOVED"]);
		expect(stale.text).to.contain(newer);
		const moved = await judged(number, { head_sha: newer.slice(0, 8) });
		expect(moved.factors).to.include({ ci: 0, review: 0 });
		expect(JSON.stringify(moved.evidence)).to.contain("does not count: it is of the older commit");
	});

	it("refuses requests that name half a pull request, an unknown one, or one nobody serves", async () => {
		const ask = (body: object) => api("alice").post("/repos/confidence", body);
		expect((await ask({ repo_url: stage.url })).status).to.equal(422);
		expect((await ask({ number: 1 })).text).to.contain('"loc":["body","repo_url"]');
		expect((await ask({})).status).to.equal(422);
		expect((await ask({ tests_pass: true })).text).to.contain('"loc":["body","lines_changed"]');
		expect((await ask({ repo_url: stage.url, number: 987_654 })).status).to.equal(404);
		expect((await ask({ repo_url: "https://elsewhere.example/a/b", number: 1 })).status).to.equal(400);
		expect((await ask({ repo_url: stage.url, number: 1, head_sha: "main" })).status).to.equal(422);
	});

	it("is kept for its person and the administrators of the tenant, in pages with an entity tag", async () => {
		const { number } = await opened("kept", { "docs/kept.md": "1\n" });
		const headers = { "idempotency-key": "once" };
		const ask = () => api("bob").post<Evaluation>("/repos/confidence", { repo_url: stage.url, number }, { headers });
		const { id } = (await ask()).body;
		expect((await ask()).body.id).to.equal(id);
		await judged(number, {}, "bob");
		const path = `/repos/confidence?repo_url=${encodeURIComponent(stage.url)}&limit=1`;
		const page = await api("bob").get<Evaluation[]>(path);
		expect(page.body).to.have.length(1);
		const next = /<\/api\/v1\/svc([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1] ?? "";
		expect((await api("bob").get<Evaluation[]>(next)).body.map((one) => one.id)).to.deep.equal([id]);
		const known = { headers: { "if-none-match": page.headers.get("etag") ?? "" } };
		expect((await api("bob").get(path, known)).status).to.equal(304);
		const statuses = ["bob", "dora", "alice", "carol"].map(
			async (who) => (await api(who).get(`/repos/confidence/${id}`)).status,
		);
		expect(await Promise.all(statuses)).to.deep.equal([200, 200, 404, 404]);
		const [foreign, unknown] = await Promise.all(
			[id, unknownId].map((one) => api("carol").get(`/repos/confidence/${one}`)),
		);
		expect(foreign?.text.replaceAll(id, unknownId)).to.equal(unknown?.text);
		expect((await api("carol").get("/repos/confidence")).body).to.deep.equal([]);
	});

	it("is calibrated by merges and reverts; webhooks need the right signature", async () => {
		const { number, head_sha } = await opened("reverted", { "src/reverted.txt": "1\n" });
		stage.check("reverted", "build", "passing");
		stage.review(number, "approved");
		const { id } = await judged(number, {}, "carol");
		const outcomeNow = async () => (await api("carol").get<Evaluation>(`/repos/confidence/${id}`)).body.outcome;
		const wrong = await told(number, head_sha, { key: "a wrong secret" });
		const nobody = await platform.client().post("/webhooks/nobody", "{}");
		expect([wrong.status, nobody.status, wrong.text]).to.deep.equal([401, 401, nobody.text]);
		expect(await outcomeNow()).to.equal(null);
		const merge = await fetch(`${stage.fake.apiUrl}/repos/acme/engine/pulls/${number}/merge`, {
			method: "PUT",
			headers: { authorization: `Bearer ${stage.token}`, "content-type": "application/json" },
			body: JSON.stringify({ merge_method: "squash", sha: head_sha }),
		});
		const { sha }: { sha: string } = await merge.json();
		expect((await told(number, head_sha)).status).to.equal(204);
		expect(await outcomeNow()).to.include({ state: "merged", reverted: false });
		const refused = await api("carol").post("/repos/confidence", { repo_url: stage.url, number });
		expect([refused.status, refused.headers.get("x-error-code")]).to.deep.equal([409, "PULL_NOT_OPEN"]);
		stage.push("main", { "src/reverted.txt": "" }, `Revert "Add reverted"\n\nThis reverts commit ${sha}.`);
		const path = "/repos/confidence/calibration";
		const { bands } = (await api("dora").get<Report>(path)).body;
		expect(
			bands.reduce((sum, { evaluated }) => sum + evaluated, 0),
			"those of the other tenant are not counted",
		).to.equal(3);
		const other = await api("carol").get<Report>(path);
		expect(other.body.bands.at(-1), other.text).to.include({ evaluated: 1, merged: 1, unchecked: 0 });
	});
});
