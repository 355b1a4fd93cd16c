/**
 * kill -9 in the middle of each write of evaluations and webhooks: what was acknowledged is there, and what is repeated takes
 * effect once.
 * Long: it kills and starts the platform six times.
 */
import { expect } from "chai";
import { createHmac } from "node:crypto";
import type { Evaluation } from "#shared/contracts/git/confidence.ts";
import { killedAt, noAnswer } from "../../support/killed-at.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { GitHubStage } from "../../support/providers/github/github-stage.ts";

const secret = "a secret for webhooks";
const facts = { tests_pass: true, lines_changed: 1, files_changed: 1 };

/** Returns what GitHub sends when a pull request was merged. */
function mergeOf(html_url: string, number: number): { body: string; headers: Record<string, string> } {
	const pull = { number, state: "closed", merged: true, head: { sha: "a".repeat(40) } };
	const updated_at = "2026-11-20T10:00:00Z";
	const body = JSON.stringify({ pull_request: { ...pull, updated_at }, repository: { html_url } });
	const headers = {
		"x-github-event": "pull_request",
		"x-github-delivery": "4f0e1c52-0000-4000-8000-000000000007",
		"x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
	};
	return { body, headers };
}

/** Sends a request in whose course the platform dies, and starts the platform again. */
async function killedIn(platform: TestPlatform, failpoint: string, request: () => Promise<unknown>): Promise<void> {
	expect(await killedAt(platform, failpoint, request)).to.equal(noAnswer);
}

describe("kill -9 in the middle of an evaluation, and of a webhook", function () {
	this.timeout(180_000);

	it("loses nothing that was acknowledged, and doubles nothing", async () => {
		const config = { git: { github: { enabled: true, webhook_secret: secret } } };
		await using platform = await startPlatform({ config });
		const api = platform.client();
		const all = async () => (await api.get<Evaluation[]>("/repos/confidence")).body.map(({ id }) => id);
		const evaluate = (key: string) =>
			api.post<Evaluation>("/repos/confidence", facts, { headers: { "idempotency-key": key } });
		const { body: message, headers } = mergeOf("https://github.com/org/shop", 7);
		const tell = () => api.post("/webhooks/github", message, { headers });

		const kept = (await evaluate("kept")).body.id;
		await killedIn(platform, "confidence.written", () => evaluate("killed"));
		const found = await all();
		expect(found).to.include(kept).and.have.length.within(1, 2);
		const killed = (await evaluate("killed")).body.id;
		expect((await evaluate("killed")).body.id).to.equal(killed);
		expect(await all()).to.have.members([kept, killed]);

		await killedIn(platform, "webhooks.remembered", tell);
		expect((await tell()).status).to.equal(204);
		expect((await tell()).status).to.equal(204);
		expect(await all()).to.have.members([kept, killed]);
	});

	it("keeps the fate of a pull request that a webhook told", async () => {
		await using stage = await GitHubStage.open();
		const hub = { base_url: stage.fake.apiUrl, token: stage.token, webhook_secret: secret };
		await using platform = await startPlatform({ config: { git: { github: hub } } });
		const api = platform.client();
		stage.push("cart", { "src/cart.txt": "1\n" });
		const { number } = await opened(stage);
		const { body: evaluation } = await api.post<Evaluation>("/repos/confidence", { repo_url: stage.url, number });
		const { body: message, headers } = mergeOf(stage.url, number);
		const tell = () => api.post("/webhooks/github", message, { headers });

		await killedIn(platform, "confidence.settled", tell);
		expect((await tell()).status).to.equal(204);
		const [known, ...others] = (await api.get<Evaluation[]>("/repos/confidence")).body;
		expect(others).to.deep.equal([]);
		expect(known?.id).to.equal(evaluation.id);
		expect(known?.outcome).to.include({ state: "merged", merged_at: "2026-11-20T10:00:00.000Z" });
		expect(stage.fake.violations).to.deep.equal([]);
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
