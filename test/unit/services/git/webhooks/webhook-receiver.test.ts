import { expect } from "chai";
import { WebhookReceiver } from "#services/git/webhooks/webhook-receiver.ts";
import { webhooksOf } from "../../../../support/providers/webhooks-of.ts";
import { failureOf } from "../../../../support/failure-of.ts";

describe("WebhookDesk", () => {
	it("refuses an unknown provider, one without a secret and a wrong signature with the same sentence, which names both causes", async () => {
		const isHome = () => true;
		const sources = new Map([
			["silent", { webhooks: webhooksOf.github, secret: "", isHome }],
			["wrong", { webhooks: webhooksOf.github, secret: "s3cret", isHome }],
		]);
		const receiver = new WebhookReceiver({ deliveries: undefined as never, sources, observe: async () => {} });
		const delivery = { headers: { "x-hub-signature-256": "sha256=00" }, body: Buffer.from("{}") };
		for (const provider of ["unknown", "silent", "wrong"]) {
			const error = (await failureOf(receiver.receive(provider, delivery as never))) as Error;
			expect(error.message, provider).to.match(/signature.*not right, or .*no webhook secret.*docs\/webhooks\.md/);
			expect(error).to.include({ code: 401, type: "WEBHOOK_REFUSED" });
		}
	});
});
