/** Issues of Linear. */
import { type TrackerIssue, maxIssues } from "#shared/contracts/tracker/issue-fields.ts";
import { NotFoundError, UnprocessableError, UpstreamError } from "#shared/base/errors.ts";
import { cut, isSameState, unknownState } from "../../trackers/issue-form.ts";
import type { IssueTracker, TrackerAccess, TrackerIdentity } from "../../trackers/issue-tracker.ts";
import { fromLinear } from "./linear-answers.ts";
import { LinearClient, type LinearPlace } from "./linear-client.ts";
import { projectFilter } from "./linear-operations.ts";

const publicUrl = "https://api.linear.app/graphql";
/** The characters that a header may hold. */
const headerText = /^[\x21-\x7e]{1,1000}$/;

/** A UUID, or a key such as `ENG-12`; nothing else is sent as an id. */
const idForm = /^[a-z\d]+(-[a-z\d]+){1,4}$/i;
const longestId = 100;

interface LinearOptions extends TrackerAccess {
	/** A personal key, or the access token of an OAuth application. */
	readonly api_key?: unknown;
	/** The GraphQL address; default Linear's own. */
	readonly api_url?: unknown;
}

export class LinearTracker implements IssueTracker {
	static readonly kwargs = ["api_key", "api_url"];
	readonly name = "linear";
	readonly #place: LinearPlace;

	/** @throws {UnprocessableError} without a key, or with an address that is no URL. */
	constructor({ api_key, api_url, outbound, isConfigured }: LinearOptions) {
		if (typeof api_key !== "string" || !headerText.test(api_key))
			throw new UnprocessableError("Linear needs a credential with `api_key`", "TRACKER_CONFIG");
		const url = api_url || publicUrl;
		if (typeof url !== "string" || !URL.canParse(url))
			throw new UnprocessableError("`api_url` of Linear has to be a URL", "TRACKER_CONFIG");
		this.#place = { outbound, url, key: api_key, isConfigured };
	}

	async status(): Promise<TrackerIdentity> {
		const { viewer } = await this.#client("the owner of the credential").send("identity", {});
		return { workspace: viewer.organization.name, user: viewer.displayName || viewer.email };
	}

	async search(text: string, project?: string): Promise<TrackerIssue[]> {
		const filter = project === undefined ? {} : { filter: projectFilter(project) };
		const asked = { term: text, first: maxIssues, ...filter };
		const { searchIssues } = await this.#client("a search for issues").send("search", asked);
		return searchIssues.nodes.slice(0, maxIssues).map(fromLinear);
	}

	async recent(project: string, limit: number): Promise<TrackerIssue[]> {
		const asked = { first: limit, filter: projectFilter(project) };
		const { issues } = await this.#client(`the issues of ${named(project)}`).send("recent", asked);
		return issues.nodes.slice(0, limit).map(fromLinear);
	}

	async issue(id: string): Promise<TrackerIssue | undefined> {
		if (!canBeId(id)) return undefined;
		try {
			return fromLinear((await this.#client(`the issue ${named(id)}`).send("issue", { id })).issue);
		} catch (error) {
			if (error instanceof NotFoundError) return undefined;
			throw error;
		}
	}

	async setStatus(id: string, status: string): Promise<TrackerIssue> {
		if (!canBeId(id)) throw new NotFoundError(`Linear has no issue ${named(id)}`, "ISSUE_NOT_FOUND");
		const client = this.#client(`the issue ${named(id)}`);
		const { issue } = await client.send("states", { id });
		if (isSameState(issue.state.name, status)) return fromLinear(issue);
		const states = issue.team.states.nodes;
		const target = states.find(({ name }) => isSameState(name, status));
		if (!target) {
			const names = states.map(({ name }) => name);
			throw new UnprocessableError(unknownState(status, names), "UNKNOWN_STATE");
		}
		const { issueUpdate } = await client.send("update", { id: issue.id, state: target.id });
		if (!issueUpdate.success || issueUpdate.issue === null)
			throw new UpstreamError("Linear did not move the issue", "PROVIDER_FAILED");
		return fromLinear(issueUpdate.issue);
	}

	#client(asked: string): LinearClient {
		return new LinearClient(this.#place, asked);
	}
}

function canBeId(id: string): boolean {
	return id.length <= longestId && idForm.test(id);
}

function named(text: string): string {
	return JSON.stringify(cut(text, 100));
}
