/** The webhooks of GitHub. */
import type { Webhooks } from "../../providers/webhooks.ts";
import { hexDigest, isEqual } from "../webhook-digest.ts";
import { readGithubPull } from "../webhook-fields.ts";

export const githubWebhooks: Webhooks = {
	idHeaders: ["x-github-delivery"],
	eventHeader: "x-github-event",
	pullEvents: ["pull_request"],
	isSigned: (secret, { headers, body }) => isEqual(headers["x-hub-signature-256"], `sha256=${hexDigest(secret, body)}`),
	readPull: readGithubPull,
};
