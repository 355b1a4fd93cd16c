/** The webhooks of GitLab: with a signing token, as in Standard Webhooks, or with a secret token. */
import { createHmac } from "node:crypto";
import { now } from "#shared/base/clock.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import type { Delivery, PullEvent, Webhooks } from "../../providers/webhooks.ts";
import { isEqual } from "../webhook-digest.ts";
import { webhookFields } from "../webhook-fields.ts";

/** The most that the time in a signature may differ from ours, in milliseconds (Standard Webhooks). */
const toleranceMs = 300_000;
const signingToken = "whsec_";

const { url, number, sha, maybeSha, time } = webhookFields;

const message = schema({
	object_attributes: {
		type: "object",
		props: {
			iid: number,
			state: { type: "enum", values: ["opened", "closed", "merged", "locked"] },
			merge_commit_sha: maybeSha,
			last_commit: { type: "object", props: { id: sha } },
			updated_at: time,
		},
	},
	project: { type: "object", props: { web_url: url } },
});
const check = compileSchema(message);
const states = { opened: "open", closed: "closed", merged: "merged", locked: "open" } as const;

export const gitlabWebhooks: Webhooks = {
	idHeaders: ["webhook-id", "idempotency-key", "x-gitlab-event-uuid"],
	eventHeader: "x-gitlab-event",
	pullEvents: ["Merge Request Hook"],
	isSigned: (secret, delivery) =>
		secret.startsWith(signingToken)
			? hasStandardSignature(secret, delivery)
			: isEqual(delivery.headers["x-gitlab-token"], secret),
	readPull,
};

/** Whether there is a digest over id, time and body; one or more of them are separated by blanks. */
function hasStandardSignature(secret: string, { headers, body }: Delivery): boolean {
	const { "webhook-id": id = "", "webhook-timestamp": seconds = "", "webhook-signature": given = "" } = headers;
	const key = Buffer.from(secret.slice(signingToken.length), "base64");
	const digest = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
	const isFresh = /^\d{1,12}$/.test(seconds) && Math.abs(now() - Number(seconds) * 1_000) <= toleranceMs;
	const isRight = given.split(" ", 10).some((one) => isEqual(one, `v1,${digest}`));
	// Anybody can sign with an empty key.
	return isFresh && isRight && key.length > 0;
}

function readPull(given: unknown): PullEvent | undefined {
	if (check(given).length > 0) return undefined;
	const { object_attributes: pull, project } = given as Output<typeof message>;
	return {
		repo_url: project.web_url,
		number: pull.iid,
		state: states[pull.state],
		head_sha: pull.last_commit.id,
		merge_sha: pull.state === "merged" ? (pull.merge_commit_sha ?? null) : null,
		at: pull.updated_at,
	};
}
