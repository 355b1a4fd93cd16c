/** The webhooks of Gitea, whose messages are those of GitHub. */
import type { Webhooks } from "../../providers/webhooks.ts";
import { hexDigest, isEqual } from "../webhook-digest.ts";
import { readGithubPull } from "../webhook-fields.ts";

export const giteaWebhooks: Webhooks = {
	idHeaders: ["x-gitea-delivery", "x-github-delivery"],
	eventHeader: "x-gitea-event",
	pullEvents: ["pull_request"],
	isSigned: (secret, { headers, body }) => {
		const digest = hexDigest(secret, body);
		const given = headers["x-gitea-signature"];
		return given === undefined ? isEqual(headers["x-hub-signature-256"], `sha256=${digest}`) : isEqual(given, digest);
	},
	readPull: readGithubPull,
};
