import { expect } from "chai";
import { pullEvent } from "#services/git/webhooks/pull-event.ts";
import { webhooksOf } from "../../../../support/providers/webhooks-of.ts";

const sha = "a".repeat(40);
const merge = "b".repeat(40);
const github = {
	action: "closed",
	pull_request: {
		number: 7,
		state: "closed",
		merged: true,
		merge_commit_sha: merge,
		head: { sha },
		updated_at: "2026-11-20T10:00:00Z",
	},
	repository: { html_url: "https://git.example/org/shop" },
};
const gitlab = {
	object_kind: "merge_request",
	object_attributes: {
		iid: 7,
		state: "merged",
		merge_commit_sha: merge,
		last_commit: { id: sha },
		updated_at: "2026-11-20 10:00:00 UTC",
	},
	project: { web_url: "https://git.example/org/shop" },
};
const expected = {
	repo_url: "https://git.example/org/shop",
	number: 7,
	state: "merged",
	head_sha: sha,
	merge_sha: merge,
	at: "2026-11-20T10:00:00.000Z",
};

function read(type: "github" | "gitlab" | "gitea", event: string, message: unknown): unknown {
	const body = typeof message === "string" ? message : JSON.stringify(message);
	return pullEvent(webhooksOf[type], { headers: { [`x-${type}-event`]: event }, body });
}

describe("messages about pull requests", () => {
	it("are read from each provider's form", () => {
		expect(read("github", "pull_request", github)).to.deep.equal(expected);
		expect(read("gitea", "pull_request", github)).to.deep.equal(expected);
		expect(read("gitlab", "Merge Request Hook", gitlab)).to.deep.equal(expected);
		const closed = { ...github, pull_request: { ...github.pull_request, merged: false } };
		expect(read("github", "pull_request", closed)).to.deep.include({ state: "closed", merge_sha: null });
		const opened = { ...gitlab, object_attributes: { ...gitlab.object_attributes, state: "opened" } };
		expect(read("gitlab", "Merge Request Hook", opened)).to.deep.include({ state: "open" });
	});

	it("mean nothing when they are about something else or cannot be understood", () => {
		expect(read("github", "push", github)).to.equal(undefined);
		expect(read("gitlab", "Push Hook", gitlab)).to.equal(undefined);
		expect(read("github", "Merge Request Hook", github)).to.equal(undefined);
		for (const message of [
			"",
			"{",
			"null",
			"[]",
			{},
			{ ...github, pull_request: { ...github.pull_request, number: "7" } },
			{ ...github, pull_request: { ...github.pull_request, updated_at: "soon" } },
			{ ...github, pull_request: null },
			{ ...github, repository: { html_url: "x".repeat(3_000) } },
		])
			expect(read("github", "pull_request", message), JSON.stringify(message)).to.equal(undefined);
	});
});
