/** Reads issues and people from GitHub's answers. */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { listReader, objectReader } from "#shared/net/outbound/provider-client.ts";
import type { ReadIssue } from "../../trackers/issue-form.ts";
import { type GitHubRepository, identifierOf, repositoryOf } from "./issue-place.ts";

const text = { type: "string", max: 65_536 } as const;
const absentOr = { optional: true, nullable: true } as const;
const named = { type: "object", props: { name: { ...text, ...absentOr } } } as const;

const issueForm = schema({
	number: { type: "number", integer: true, min: 1, max: Number.MAX_SAFE_INTEGER },
	title: text,
	state: { type: "enum", values: ["open", "closed"] },
	html_url: text,
	repository_url: { ...text, ...absentOr },
	assignee: { type: "object", props: { login: text }, ...absentOr },
	labels: { type: "array", max: 1_000, items: { type: "multi", rules: [text, named] } },
	/** Pull requests are issues in this interface, and have this member. */
	pull_request: { type: "object", props: {}, ...absentOr },
});

type GitHubIssue = Output<typeof issueForm>;

export const issueReader = objectReader(issueForm);
export const issuesReader = listReader({ type: "object", props: issueForm }, 1_000);
export const foundReader = objectReader({
	items: { type: "array", max: 1_000, items: { type: "object", props: issueForm } },
});
export const userReader = objectReader({ login: text });

export function isIssue({ pull_request }: GitHubIssue): boolean {
	return pull_request === undefined || pull_request === null;
}

/** @param repository The repository that was asked; default the one that the answer names. */
export function readIssue(issue: GitHubIssue, repository = namedIn(issue)): ReadIssue | undefined {
	if (!repository) return undefined;
	const identifier = identifierOf({ ...repository, issue_number: issue.number });
	return {
		id: identifier,
		identifier,
		title: issue.title,
		status: issue.state,
		assignee: issue.assignee?.login ?? null,
		labels: issue.labels.flatMap((label) => (typeof label === "string" ? label : (label.name ?? []))),
		priority: 0,
		url: issue.html_url,
	};
}

function namedIn({ repository_url }: GitHubIssue): GitHubRepository | undefined {
	const [, name = ""] = /\/repos\/([^/]+\/[^/]+)$/.exec(repository_url ?? "") ?? [];
	return repositoryOf(name);
}
