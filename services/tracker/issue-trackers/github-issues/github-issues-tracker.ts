/** Issues of repositories on GitHub, or on a GitHub Enterprise Server. A project is a repository, such as `org/repo`. */
import { maxIssues, type TrackerIssue } from "#shared/contracts/tracker/issue-fields.ts";
import { NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import { githubClient, githubUrl } from "#shared/net/github/github-client.ts";
import type { ProviderClient } from "#shared/net/outbound/provider-client.ts";
import { cut, isSameState, issueOf, type ReadIssue, unknownState } from "../../trackers/issue-form.ts";
import type { IssueTracker, TrackerAccess, TrackerIdentity } from "../../trackers/issue-tracker.ts";
import { foundReader, issueReader, isIssue, issuesReader, readIssue, userReader } from "./github-issue.ts";
import { type GitHubRepository, type IssuePlace, issuePlace, repositoryOf } from "./issue-place.ts";
import { searchQuery } from "./search-query.ts";

interface GithubIssuesOptions extends TrackerAccess {
	readonly token?: unknown;
	/** The address of the interface; default that of github.com. That of an Enterprise Server ends with `/api/v3`. */
	readonly base_url?: unknown;
	/** The person or the organization whose issues are searched when no project is named. */
	readonly owner?: unknown;
}

const states = ["open", "closed"] as const;
const pageSize = 100;
/** Pages have pull requests too, so that one page may have too few issues. */
const maxPages = 3;
/** The most requests of one operation. */
const maxCalls = 10;
/** The characters that a header may hold. */
const headerText = /^[\x21-\x7e]{1,2000}$/;
const ownerForm = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/;

export class GithubIssuesTracker implements IssueTracker {
	static readonly kwargs = ["token", "base_url", "owner"];
	readonly name = "github";
	readonly #access: Pick<TrackerAccess, "outbound" | "isConfigured">;
	readonly #token: string;
	readonly #url: string;
	readonly #owner: string | undefined;

	/** @throws {UnprocessableError} when the configuration or the credential lacks something. */
	constructor({ token, base_url = "", owner = "", outbound, isConfigured }: GithubIssuesOptions) {
		if (typeof token !== "string" || !headerText.test(token)) throw wrong("GitHub needs a credential with `token`");
		if (typeof owner !== "string" || (owner !== "" && !ownerForm.test(owner)))
			throw wrong("`owner` of GitHub is the name of a person or of an organization");
		this.#token = token;
		this.#url = apiUrl(base_url);
		this.#owner = owner === "" ? undefined : owner;
		this.#access = { outbound, isConfigured };
	}

	async status(): Promise<TrackerIdentity> {
		const client = this.#client("who its user is");
		const { login } = client.read(userReader, await client.get("/user"));
		return { workspace: this.#owner ?? new URL(this.#url).host, user: login };
	}

	/** The issues of the configured owner without a project, or else those that have to do with the person. */
	async search(text: string, project?: string): Promise<TrackerIssue[]> {
		const client = this.#client("a search");
		const q = searchQuery(text, this.#placeOf(project));
		const data = await client.get("/search/issues", { q, per_page: maxIssues });
		const { items } = client.read(foundReader, data);
		return items
			.filter(isIssue)
			.flatMap((issue) => listed(readIssue(issue)))
			.slice(0, maxIssues);
	}

	async recent(project: string, limit: number): Promise<TrackerIssue[]> {
		const repository = this.#repository(project);
		const client = this.#client(`the issues of ${project}`);
		const found: TrackerIssue[] = [];
		for (let page = 1; page <= maxPages; page++) {
			const query = { state: "all", sort: "updated", direction: "desc", per_page: pageSize, page };
			const data = await client.get(issuesPath(repository), query);
			const issues = client.read(issuesReader, data);
			found.push(...issues.filter(isIssue).flatMap((issue) => listed(readIssue(issue, repository))));
			if (issues.length < pageSize || found.length >= limit) break;
		}
		return found.slice(0, limit);
	}

	async issue(id: string): Promise<TrackerIssue | undefined> {
		const place = issuePlace(id);
		return place && this.#find(this.#client(`the issue ${id}`), place);
	}

	async setStatus(id: string, status: string): Promise<TrackerIssue> {
		const place = issuePlace(id);
		const client = this.#client(`a new state of the issue ${cut(id, 255)}`);
		const issue = place && (await this.#find(client, place));
		if (!issue) throw new NotFoundError(`GitHub has no issue "${cut(id, 100)}"`, "ISSUE_NOT_FOUND");
		const state = states.find((name) => isSameState(name, status));
		if (!state) throw new UnprocessableError(unknownState(status, states), "UNKNOWN_STATE");
		if (issue.status === state) return issue;
		const { json } = await client.send({ method: "PATCH", path: pathOf(place), body: { state } });
		const moved = readIssue(client.read(issueReader, json), place);
		if (!moved || moved.status !== state) throw client.malformed();
		return issueOf(moved);
	}

	#client(asked: string): ProviderClient {
		return githubClient({
			...this.#access,
			base_url: this.#url,
			token: this.#token,
			ask: { provider: "GitHub", asked },
			bounds: { calls: maxCalls },
		});
	}

	async #find(client: ProviderClient, place: IssuePlace): Promise<TrackerIssue | undefined> {
		const { status, json } = await client.send({ path: pathOf(place), expected: [404, 410] });
		if (status === 404 || status === 410) return undefined;
		const issue = client.read(issueReader, json);
		const [found] = isIssue(issue) ? listed(readIssue(issue, place)) : [];
		return found;
	}

	#placeOf(project: string | undefined): string {
		if (project === undefined) return this.#owner === undefined ? "involves:@me" : `user:${this.#owner}`;
		const { owner, repo } = this.#repository(project);
		return `repo:${owner}/${repo}`;
	}

	#repository(project: string): GitHubRepository {
		const repository = repositoryOf(project);
		if (!repository) throw wrong(`"${cut(project, 100)}" is no repository of GitHub, such as "org/repo"`);
		return repository;
	}
}

function issuesPath({ owner, repo }: GitHubRepository): string {
	return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/issues`;
}

function pathOf(place: IssuePlace): string {
	return `${issuesPath(place)}/${place.issue_number}`;
}

function listed(issue: ReadIssue | undefined): TrackerIssue[] {
	return issue ? [issueOf(issue)] : [];
}

function apiUrl(text: unknown): string {
	if (text === "" || text === null) return githubUrl;
	const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !["http:", "https:"].includes(url.protocol) || url.search !== "" || url.hash !== "")
		throw wrong("`base_url` of GitHub is the address of its interface, such as https://github.company.example/api/v3");
	return `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, "");
}

function wrong(sentence: string): UnprocessableError {
	return new UnprocessableError(sentence, "TRACKER_CONFIG");
}
