/** Reads what a webhook says about a pull request. Its members are checked, because a signature vouches for the sender only. Pure. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import type { GitProviderType } from "#shared/contracts/git/repositories.ts";
import type { Delivery } from "./signature.ts";

/** The state of a pull request at a time. */
export interface PullEvent {
	/** The web URL of the repository. */
	readonly repo_url: string;
	readonly number: number;
	readonly state: "open" | "merged" | "closed";
	readonly head_sha: string;
	/** The commit that the merge made; null when it is not merged or the message does not say. */
	readonly merge_sha: string | null;
	/** The time of the state, as ISO 8601. */
	readonly at: string;
}

const url = { type: "string", min: 1, max: 2_048 } as const;
const number = { type: "number", integer: true, min: 1, max: 1_000_000_000 } as const;
const sha = { type: "string", min: 1, max: 64 } as const;
const maybeSha = { ...sha, optional: true, nullable: true } as const;
const time = { type: "string", min: 1, max: 50 } as const;

/** The messages of GitHub and Gitea, as far as they are read. */
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

/** GitLab's messages, as far as they are read. */
const gitlabMessage = schema({
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

const checkGithub = compileSchema(githubMessage);
const checkGitlab = compileSchema(gitlabMessage);
const gitlabStates = { opened: "open", closed: "closed", merged: "merged", locked: "open" } as const;

/** Returns the event; undefined for a message about something else, or one that cannot be understood. */
export function pullEvent(type: GitProviderType, { headers, body }: Delivery): PullEvent | undefined {
	const name = headers[`x-${type}-event`];
	if (name !== (type === "gitlab" ? "Merge Request Hook" : "pull_request")) return undefined;
	const message = parsed(body);
	const event = type === "gitlab" ? ofGitlab(message) : ofGithub(message);
	return event && !Number.isNaN(Date.parse(event.at)) ? { ...event, at: new Date(event.at).toISOString() } : undefined;
}

function ofGithub(message: unknown): PullEvent | undefined {
	if (checkGithub(message).length > 0) return undefined;
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

function ofGitlab(message: unknown): PullEvent | undefined {
	if (checkGitlab(message).length > 0) return undefined;
	const { object_attributes: pull, project } = message as Output<typeof gitlabMessage>;
	return {
		repo_url: project.web_url,
		number: pull.iid,
		state: gitlabStates[pull.state],
		head_sha: pull.last_commit.id,
		merge_sha: pull.state === "merged" ? (pull.merge_commit_sha ?? null) : null,
		at: pull.updated_at,
	};
}

function parsed(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return undefined;
	}
}
