import { expect } from "chai";
import { createHmac } from "node:crypto";
import { isSigned } from "#services/git/webhooks/signature.ts";
import { turnClock } from "#shared/base/clock.ts";
import { webhooksOf } from "../../../../support/providers/webhooks-of.ts";

const secret = "It's a Secret to Everybody";
const body = "Hello, World!";
const hex = createHmac("sha256", secret).update(body).digest("hex");

describe("signatures of webhooks", () => {
	it("of GitHub are those of its documentation", () => {
		const right = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
		expect(hex).to.equal(right);
		expect(
			isSigned(webhooksOf.github, secret, { body, headers: { "x-hub-signature-256": `sha256=${right}` } }),
		).to.equal(true);
	});

	it("of Gitea have either header", () => {
		expect(isSigned(webhooksOf.gitea, secret, { body, headers: { "x-gitea-signature": hex } })).to.equal(true);
		expect(isSigned(webhooksOf.gitea, secret, { body, headers: { "x-hub-signature-256": `sha256=${hex}` } })).to.equal(
			true,
		);
		const mixed = { "x-gitea-signature": "0".repeat(64), "x-hub-signature-256": `sha256=${hex}` };
		expect(isSigned(webhooksOf.gitea, secret, { body, headers: mixed }), "a wrong one is not rescued").to.equal(false);
	});

	it("of GitLab are the secret itself, or those of Standard Webhooks", () => {
		expect(isSigned(webhooksOf.gitlab, secret, { body, headers: { "x-gitlab-token": secret } })).to.equal(true);
		const token = `whsec_${Buffer.from("key").toString("base64")}`;
		const seconds = 1_700_000_000;
		const digest = createHmac("sha256", "key").update(`id.${seconds}.${body}`).digest("base64");
		const headers = {
			"webhook-id": "id",
			"webhook-timestamp": String(seconds),
			"webhook-signature": `v1,x v1,${digest}`,
		};
		const at = (ms: number) => {
			const turnBack = turnClock({ now: () => ms, monotonic: () => 0 });
			try {
				return isSigned(webhooksOf.gitlab, token, { body, headers });
			} finally {
				turnBack();
			}
		};
		expect(at(seconds * 1_000)).to.equal(true);
		expect(at(seconds * 1_000 + 299_000)).to.equal(true);
		expect(at(seconds * 1_000 + 301_000), "an old message").to.equal(false);
		expect(at(seconds * 1_000 - 301_000)).to.equal(false);
		expect(
			isSigned(webhooksOf.gitlab, token, { body, headers: { "x-gitlab-token": token } }),
			"only the signature",
		).to.equal(false);
	});

	it("of GitLab are refused for a signing token without a key, with which anybody could sign", () => {
		const seconds = String(Math.floor(Date.now() / 1_000));
		const digest = createHmac("sha256", "").update(`id.${seconds}.${body}`).digest("base64");
		const headers = { "webhook-id": "id", "webhook-timestamp": seconds, "webhook-signature": `v1,${digest}` };
		expect(isSigned(webhooksOf.gitlab, "whsec_", { body, headers })).to.equal(false);
	});

	it("are refused for another secret, another body, no header and no secret", () => {
		for (const [type, headers] of [
			["github", { "x-hub-signature-256": `sha256=${hex}` }],
			["gitea", { "x-gitea-signature": hex }],
		] as const) {
			expect(isSigned(webhooksOf[type], secret, { body, headers })).to.equal(true);
			expect(isSigned(webhooksOf[type], "another", { body, headers })).to.equal(false);
			expect(isSigned(webhooksOf[type], secret, { body: `${body} `, headers })).to.equal(false);
			expect(isSigned(webhooksOf[type], secret, { body, headers: {} })).to.equal(false);
		}
		const none = "";
		const key = createHmac("sha256", none).update(body).digest("hex");
		expect(isSigned(webhooksOf.github, none, { body, headers: { "x-hub-signature-256": `sha256=${key}` } })).to.equal(
			false,
		);
		expect(isSigned(webhooksOf.gitlab, none, { body, headers: { "x-gitlab-token": "" } })).to.equal(false);
		const fallback = createHmac("sha256", "no secret is configured").update(body).digest("hex");
		expect(isSigned(webhooksOf.gitea, none, { body, headers: { "x-gitea-signature": fallback } })).to.equal(false);
	});
});
