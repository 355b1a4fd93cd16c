/** Port: an issue tracker, as one person or the configuration reaches it. */
import type { Outbound } from "#shared/net/outbound/outbound.ts";
import type { TrackerIssue } from "#shared/contracts/tracker/issue-fields.ts";

/**
 * The members of an adapter's options that the platform gives. The configuration of the connection and the fields of its
 * credential are members of the same object.
 */
export interface TrackerAccess {
	readonly outbound: Outbound;
	/** The URLs are those of the platform's configuration, so that they may be private; never for a person's connection. */
	readonly isConfigured: boolean;
}

/** The person, and the site or organization, that a credential belongs to. */
export interface TrackerIdentity {
	readonly workspace: string | null;
	readonly user: string | null;
}

/**
 * An issue tracker. One is made for each request of the platform, and does nothing in its constructor. Every method has
 * 15 s (`bounds` of the provider's client) and may throw {UnauthorizedError} `PROVIDER_REFUSED`, {UnavailableError} `PROVIDER_BUSY`, {UpstreamError} or {TimeoutError}.
 */
export interface IssueTracker {
	/** The name for people: `linear`, `jira`, `github`. */
	readonly name: string;
	/** Asks the tracker who the credential belongs to. */
	status(): Promise<TrackerIdentity>;
	/** Returns at most 25 issues that contain the text. @param project Only issues of this project. */
	search(text: string, project?: string): Promise<TrackerIssue[]>;
	/** Returns issues of a project, last updated first. @param limit At most 100. */
	recent(project: string, limit: number): Promise<TrackerIssue[]>;
	/** Returns an issue by id or key; undefined when the tracker knows none, or the id cannot be one of this tracker. */
	issue(id: string): Promise<TrackerIssue | undefined>;
	/**
	 * Moves an issue into a state and returns the issue afterwards; does nothing when it is in that state already.
	 * @param status The name of the state, in either case.
	 * @throws {NotFoundError} for an unknown issue; {UnprocessableError} for an unknown state, naming those that exist.
	 */
	setStatus(id: string, status: string): Promise<TrackerIssue>;
}

export const issueTrackerMethods = ["status", "search", "recent", "issue", "setStatus"] as const;
