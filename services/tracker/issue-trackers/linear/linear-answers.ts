/** The parts of Linear's answers that the platform reads; anything else is refused or ignored. */
import type { TrackerIssue } from "#shared/contracts/tracker/issue-fields.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { objectReader } from "#shared/net/outbound/provider-client.ts";
import { issueOf } from "../../trackers/issue-form.ts";

const text = { type: "string" } as const;
const named = { type: "object", props: { name: text } } as const;

const issue = schema({
	id: text,
	identifier: text,
	title: text,
	url: text,
	priority: { type: "number" },
	state: named,
	assignee: { type: "object", props: { displayName: text }, nullable: true },
	labels: { type: "object", props: { nodes: { type: "array", items: named } } },
});
type LinearIssue = Output<typeof issue>;

const issueRule = { type: "object", props: issue } as const;
const nodes = { type: "object", props: { nodes: { type: "array", items: issueRule } } } as const;
const state = { type: "object", props: { id: text, name: text } } as const;
const team = {
	type: "object",
	props: { states: { type: "object", props: { nodes: { type: "array", items: state } } } },
} as const;

export const linearAnswers = {
	identity: objectReader({
		viewer: {
			type: "object",
			props: { displayName: text, email: text, organization: named },
		},
	}),
	search: objectReader({ searchIssues: nodes }),
	recent: objectReader({ issues: nodes }),
	issue: objectReader({ issue: issueRule }),
	states: objectReader({ issue: { type: "object", props: { ...issue, team } } }),
	update: objectReader({
		issueUpdate: { type: "object", props: { success: { type: "boolean" }, issue: { ...issueRule, nullable: true } } },
	}),
};

export function fromLinear({ state, assignee, labels, ...issue }: LinearIssue): TrackerIssue {
	return issueOf({
		...issue,
		status: state.name,
		assignee: assignee?.displayName ?? null,
		labels: labels.nodes.map(({ name }) => name),
	});
}
