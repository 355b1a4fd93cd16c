/** Reads issues, transitions and people from Jira's answers. */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { objectReader } from "#shared/net/outbound/provider-client.ts";
import { isSameState, type ReadIssue } from "../../trackers/issue-form.ts";

const text = { type: "string", max: 65_536 } as const;
const named = { type: "object", props: { name: text } } as const;
const absentOr = { optional: true, nullable: true } as const;

const issueForm = schema({
	id: { type: "string", max: 100 },
	key: { type: "string", max: 255 },
	fields: {
		type: "object",
		props: {
			summary: text,
			status: named,
			assignee: { type: "object", props: { displayName: text }, ...absentOr },
			labels: { type: "array", items: text, max: 1_000, ...absentOr },
			priority: { ...named, ...absentOr },
		},
	},
});

const transitionForm = schema({ id: { type: "string", max: 100 }, name: text, to: named });

type JiraIssue = Output<typeof issueForm>;
type JiraTransition = Output<typeof transitionForm>;

export const issueReader = objectReader(issueForm);
/** One page of issues; both editions have more members around them. */
export const pageReader = objectReader({
	issues: { type: "array", max: 1_000, items: { type: "object", props: issueForm } },
});
/** The steps that the caller may take with an issue in its present state. */
export const transitionsReader = objectReader({
	transitions: { type: "array", max: 1_000, items: { type: "object", props: transitionForm } },
});
export const userReader = objectReader({ displayName: text });
export const serverReader = objectReader({
	deploymentType: { type: "string", max: 100, ...absentOr },
	serverTitle: { ...text, ...absentOr },
});

/** The names that Jira gives to priorities, as numbers of the contract. */
const priorities = new Map(Object.entries({ highest: 1, high: 2, medium: 3, low: 4, lowest: 5 }));

/** The fields that `readIssue` reads. */
export const issueFields = "summary,status,assignee,labels,priority";

/** Returns what the answer says. @param site The URL of the site, for the page of the issue. */
export function readIssue({ id, key, fields }: JiraIssue, site: string): ReadIssue {
	const { summary, status, assignee, labels, priority } = fields;
	return {
		id,
		identifier: key,
		title: summary,
		status: status.name,
		assignee: assignee?.displayName ?? null,
		labels: labels ?? [],
		priority: priorities.get(priority?.name.toLowerCase() ?? "") ?? 0,
		url: `${site}/browse/${encodeURIComponent(key)}`,
	};
}

/** Returns the transition to a state: the state's name counts before that of the step. */
export function transitionTo(transitions: readonly JiraTransition[], status: string): JiraTransition | undefined {
	return (
		transitions.find(({ to }) => isSameState(to.name, status)) ??
		transitions.find(({ name }) => isSameState(name, status))
	);
}
