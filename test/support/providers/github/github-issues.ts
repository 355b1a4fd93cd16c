/** The operations of the fake GitHub about issues, and its language of searches as far as the platform may use it. */
import type { GitHubAnswers } from "./github-answers.ts";
import type { Answer, Asked } from "./github-operations.ts";
import { type FakeIssue, type GitHubState, mayPersonSee } from "./github-state.ts";

type Operation = (asked: Asked) => Answer;

const notFound: Answer = [
	404,
	{ message: "Not Found", documentation_url: "https://docs.github.com/rest", status: "404" },
];
const maxQuery = 256;

/** Returns the operations by their ids in the description. */
export function issueOperations(state: GitHubState, answers: GitHubAnswers): Readonly<Record<string, Operation>> {
	const visible = ({ params, login }: Asked) => state.visible(params["owner"] ?? "", params["repo"] ?? "", login);
	const named = (asked: Asked): FakeIssue | undefined => {
		const repository = visible(asked);
		const number = Number(asked.params["issue_number"]);
		return state.issues.find((one) => one.repository === repository && one.number === number);
	};
	return {
		"issues/list-for-repo": (asked) => {
			const repository = visible(asked);
			if (!repository) return notFound;
			const found = state.issues.filter((one) => one.repository === repository).toReversed();
			return [200, found.map((issue) => answers.issue(issue, "issues/list-for-repo"))];
		},
		"issues/get": (asked) => {
			const issue = named(asked);
			return issue ? [200, answers.issue(issue, "issues/update")] : notFound;
		},
		"issues/update": (asked) => {
			const issue = named(asked);
			if (!issue) return notFound;
			issue.state = asked.body["state"] === "closed" ? "closed" : "open";
			state.issues.push(...state.issues.splice(state.issues.indexOf(issue), 1));
			return [200, answers.issue(issue, "issues/update")];
		},
		"search/issues-and-pull-requests": ({ query: { q = "", per_page = "30" }, login }) => {
			if (q.length > maxQuery) return [422, { message: "Validation Failed", documentation_url: "" }];
			const seen = state.issues.filter(({ repository }) => mayPersonSee(repository, login));
			const found = seen.filter(matches(q)).slice(0, Number(per_page));
			const items = found.map((issue) => answers.issue(issue, "search/issues-and-pull-requests"));
			return [200, { total_count: found.length, incomplete_results: false, search_type: "lexical", items }];
		},
	};
}

/** Texts between quotes are words. Everything else is a qualifier; several repositories mean each of them. */
function matches(query: string): (issue: FakeIssue) => boolean {
	const words = [...query.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word.toLowerCase());
	const qualifiers = query.replaceAll(/"[^"]*"/g, " ").split(/\s+/);
	const repositories = qualifiers.flatMap((one) => (one.startsWith("repo:") ? one.slice("repo:".length) : []));
	return ({ title, repository: { owner, name } }) =>
		(repositories.length === 0 || repositories.includes(`${owner}/${name}`)) &&
		words.every((word) => title.toLowerCase().includes(word));
}
