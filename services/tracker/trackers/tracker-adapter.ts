/** Makes the tracker of a connection, by the short name of its adapter or by its module. */
import { loadAdapter, loadAdapterClass, refuseUnknownArguments } from "#shared/config/adapter.ts";
import type { AdapterRef } from "#shared/config/fields/adapter-fields.ts";
import { type IssueTracker, issueTrackerMethods, type TrackerAccess } from "./issue-tracker.ts";

/** The modules of the adapters by their short names. */
const modules: Readonly<Record<string, string>> = {
	linear: "services/tracker/issue-trackers/linear/linear-tracker.ts#LinearTracker",
	jira: "services/tracker/issue-trackers/jira/jira-tracker.ts#JiraTracker",
	"github-issues": "services/tracker/issue-trackers/github-issues/github-issues-tracker.ts#GithubIssuesTracker",
};

/** The adapter of a connection with its configuration and the fields of its credential. */
export interface AdapterChoice {
	/** A short name, or a module and class; never chosen by a user, because a class of any module would be made. */
	readonly adapter: string;
	readonly config: Readonly<Record<string, unknown>>;
	readonly credential: Readonly<Record<string, unknown>>;
}

/**
 * Returns the tracker.
 * @throws {UnprocessableError} when the configuration or the credential of the connection lacks something; {TypeError} for
 * an adapter that there is not.
 */
export function openTracker(choice: AdapterChoice, access: TrackerAccess): Promise<IssueTracker> {
	const { adapter, config, credential } = choice;
	const ref = { adapter: moduleOf(adapter), kwargs: {}, secret_kwargs_env: {} };
	return loadAdapter<IssueTracker>(ref, issueTrackerMethods, { ...config, ...credential, ...access });
}

/** Checks the arguments of a tracker of the configuration at the start. @throws {StartError} for an unknown one. */
export async function refuseUnknownTrackerArguments(tracker: AdapterRef): Promise<void> {
	const ref = { ...tracker, adapter: moduleOf(tracker.adapter) };
	refuseUnknownArguments(ref, await loadAdapterClass(ref));
}

function moduleOf(adapter: string): string {
	return Object.hasOwn(modules, adapter) ? (modules[adapter] ?? adapter) : adapter;
}
