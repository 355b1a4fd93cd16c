/** Issues of Jira: Jira Cloud, and Jira Data Center in a company's own network. */
import { maxIssues, type TrackerIssue } from "#shared/contracts/tracker/issue-fields.ts";
import { NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import { cut, isSameState, issueOf, unknownState } from "../../trackers/issue-form.ts";
import type { IssueTracker, TrackerAccess, TrackerIdentity } from "../../trackers/issue-tracker.ts";
import { JiraClient, type JiraSite, type JiraWay } from "./jira-client.ts";
import {
	issueFields,
	issueReader,
	pageReader,
	readIssue,
	serverReader,
	transitionsReader,
	transitionTo,
	userReader,
} from "./jira-issue.ts";
import { siteOf } from "./jira-site.ts";
import { isIssueKey, recentJql, searchJql } from "./jql.ts";

const maxRecent = 100;
/** A key or a number: nothing else becomes part of a path. */
const idForm = /^[A-Za-z0-9_-]{1,255}$/;

/** The configuration and the credential: `site_url`, `email`, `api_token`, and `deployment`. */
type JiraOptions = TrackerAccess & Readonly<Partial<Record<keyof JiraSite, unknown>>>;

export class JiraTracker implements IssueTracker {
	static readonly kwargs = ["site_url", "email", "api_token", "deployment"];
	readonly name = "jira";
	readonly #site: JiraSite;
	readonly #way: JiraWay;

	/** @throws {UnprocessableError} when the configuration or the credential lacks something. */
	constructor({ outbound, isConfigured, ...given }: JiraOptions) {
		this.#site = siteOf(given);
		this.#way = { outbound, isConfigured };
	}

	async status(): Promise<TrackerIdentity> {
		const client = this.#client("who its user is");
		const { displayName } = await client.get(userReader, "myself");
		const { serverTitle } = await client.get(serverReader, "serverInfo");
		return { workspace: serverTitle ?? new URL(this.#site.site_url).host, user: displayName };
	}

	/** An issue whose key is the text comes first, because a search for words does not find keys. */
	async search(text: string, project?: string): Promise<TrackerIssue[]> {
		const client = this.#client("a search");
		const key = text.trim();
		const named = isIssueKey(key) && isOf(key, project) ? await this.#find(client, key) : undefined;
		const jql = searchJql(text, project);
		const found = jql === undefined ? [] : await this.#list(client, jql, maxIssues);
		return named ? [named, ...found.filter(({ id }) => id !== named.id)].slice(0, maxIssues) : found;
	}

	async recent(project: string, limit: number): Promise<TrackerIssue[]> {
		return this.#list(this.#client("the issues of a project"), recentJql(project), Math.min(limit, maxRecent));
	}

	async issue(id: string): Promise<TrackerIssue | undefined> {
		return idForm.test(id) ? this.#find(this.#client(`the issue ${id}`), id) : undefined;
	}

	async setStatus(id: string, status: string): Promise<TrackerIssue> {
		if (!idForm.test(id)) throw noIssue(id);
		const client = this.#client(`a new state of the issue ${id}`);
		const issue = await this.#find(client, id);
		if (!issue) throw noIssue(id);
		if (isSameState(issue.status, status)) return issue;
		const path = `issue/${id}/transitions`;
		const { transitions } = await client.get(transitionsReader, path);
		const transition = transitionTo(transitions, status);
		if (!transition) {
			const states = transitions.map(({ to }) => to.name);
			throw new UnprocessableError(unknownState(status, states), "UNKNOWN_STATE");
		}
		await client.post(path, { transition: { id: transition.id } });
		return (await this.#find(client, id)) ?? { ...issue, status: transition.to.name };
	}

	#client(asked: string): JiraClient {
		return new JiraClient(this.#site, this.#way, asked);
	}

	async #find(client: JiraClient, id: string): Promise<TrackerIssue | undefined> {
		const issue = await client.find(issueReader, `issue/${id}`, { fields: issueFields });
		return issue && issueOf(readIssue(issue, this.#site.site_url));
	}

	async #list(client: JiraClient, jql: string, limit: number): Promise<TrackerIssue[]> {
		const path = (await client.isCloud()) ? "search/jql" : "search";
		const { issues } = await client.get(pageReader, path, { jql, fields: issueFields, maxResults: limit });
		return issues.slice(0, limit).map((issue) => issueOf(readIssue(issue, this.#site.site_url)));
	}
}

/** Whether a key is of the project; a project's name or number says nothing about keys. */
function isOf(key: string, project: string | undefined): boolean {
	return project === undefined || key.toUpperCase().startsWith(`${project.toUpperCase()}-`);
}

function noIssue(id: string): NotFoundError {
	return new NotFoundError(`Jira has no issue "${cut(id, 100)}"`, "ISSUE_NOT_FOUND");
}
