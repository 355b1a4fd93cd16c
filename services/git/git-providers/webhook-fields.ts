/** The forms of the members of webhooks that are read, and GitHub's message about a pull request, which Gitea sends too. Pure. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import type { PullEvent } from "../providers/webhooks.ts";

const sha = { type: "string", min: 1, max: 64 } as const;

export const webhookFields = {
	url: { type: "string", min: 1, max: 2_048 },
	number: { type: "number", integer: true, min: 1, max: 1_000_000_000 },
	sha,
	maybeSha: { ...sha, optional: true, nullable: true },
	time: { type: "string", min: 1, max: 50 },
} as const;

const { url, number, maybeSha, time } = webhookFields;

const githubMessage = schema({
	pull_request: {
		type: "object",
		props: {
			number,
			state: { type: "enum", values: ["open", "closed"] },
			merged: { type: "boolean", default: false },
			merge_commit_sha: maybeSha,
			head: { type: "object", props: { sha } },
			updated_at: time,
		},
	},
	repository: { type: "object", props: { html_url: url } },
});
const check = compileSchema(githubMessage);

export function readGithubPull(message: unknown): PullEvent | undefined {
	if (check(message).length > 0) return undefined;
	const { pull_request: pull, repository } = message as Output<typeof githubMessage>;
	return {
		repo_url: repository.html_url,
		number: pull.number,
		state: pull.merged ? "merged" : pull.state,
		head_sha: pull.head.sha,
		merge_sha: pull.merged ? (pull.merge_commit_sha ?? null) : null,
		at: pull.updated_at,
	};
}
