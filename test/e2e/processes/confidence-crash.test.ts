/**
 * kill -9 in the middle of each write of evaluations and webhooks: what was acknowledged is there, and what is repeated takes
 * effect once.
 * Long: it kills and starts the platform four times.
 */
import { expect } from "chai";
import { createHmac } from "node:crypto";
import type { Evaluation } from "#shared/contracts/git/confidence.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

const secret = "a secret for webhooks";
const facts = { tests_pass: true, lines_changed: 1, files_changed: 1 };
const message = JSON.stringify({
	pull_request: {
		number: 7,
		state: "closed",
		merged: true,
		head: { sha: "a".repeat(40) },
		updated_at: "2026-11-20T10:00:00Z",
	},
	repository: { html_url: "https://github.com/org/shop" },
});
const signed = {
	"x-github-event": "pull_request",
	"x-github-delivery": "4f0e1c52-0000-4000-8000-000000000007",
	"x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(message).digest("hex")}`,
};

describe("kill -9 in the middle of an evaluation, and of a webhook", function () {
	this.timeout(180_000);

	it("loses nothing that was acknowledged, and doubles nothing", async () => {
		const config = { git: { github: { enabled: true, webhook_secret: secret } } };
		await using platform = await startPlatform({ config });
		const api = platform.client();
		const all = async () => (await api.get<Evaluation[]>("/repos/confidence")).body.map(({ id }) => id);
		const evaluate = (key: string) =>
			api.post<Evaluation>("/repos/confidence", facts, { headers: { "idempotency-key": key } });
		const tell = () => api.post("/webhooks/github", message, { headers: signed });
		const killedIn = async (failpoint: string, request: () => Promise<unknown>) => {
			await platform.kill();
			const dying = platform.startProcess([], { ATELIER_FAILPOINTS: `${failpoint}=kill` });
			platform.processes = [dying];
			await platform.ready();
			expect(await request().catch(() => "no answer")).to.equal("no answer");
			await dying.ended();
			await platform.start();
		};

		const kept = (await evaluate("kept")).body.id;
		await killedIn("confidence.written", () => evaluate("killed"));
		const found = await all();
		expect(found).to.include(kept).and.have.length.within(1, 2);
		const killed = (await evaluate("killed")).body.id;
		expect((await evaluate("killed")).body.id).to.equal(killed);
		expect(await all()).to.have.members([kept, killed]);

		await killedIn("webhooks.remembered", tell);
		expect((await tell()).status).to.equal(204);
		expect((await tell()).status).to.equal(204);
		expect(await all()).to.have.members([kept, killed]);
	});
});
