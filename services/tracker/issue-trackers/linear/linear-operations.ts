/** The GraphQL operations that the platform sends to Linear, each answered in one round trip. */

const issueFields =
	"id identifier title url priority state { name } assignee { displayName } labels { nodes { name } }";

/** The operations by name; the tests check them against Linear's schema. */
export const linearOperations = {
	identity: "query Identity { viewer { displayName email organization { name } } }",
	search: `query Search($term: String!, $first: Int!, $filter: IssueFilter) {
		searchIssues(term: $term, first: $first, filter: $filter) { nodes { ${issueFields} } }
	}`,
	recent: `query Recent($first: Int!, $filter: IssueFilter) {
		issues(first: $first, orderBy: updatedAt, filter: $filter) { nodes { ${issueFields} } }
	}`,
	issue: `query Issue($id: String!) { issue(id: $id) { ${issueFields} } }`,
	states: `query States($id: String!) {
		issue(id: $id) { ${issueFields} team { states(first: 100) { nodes { id name } } } }
	}`,
	update: `mutation Update($id: String!, $state: String!) {
		issueUpdate(id: $id, input: { stateId: $state }) { success issue { ${issueFields} } }
	}`,
} as const;

export type LinearOperation = keyof typeof linearOperations;

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns the filter of a project's issues. @param project The id of a project, the last part of its URL, or the key of a team. */
export function projectFilter(project: string): object {
	if (uuid.test(project)) return { project: { id: { eq: project } } };
	return { or: [{ project: { slugId: { eq: project } } }, { team: { key: { eq: project } } }] };
}
