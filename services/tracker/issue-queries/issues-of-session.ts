/** Finds the issues of a session: its own one, and those of its repository's project that may belong to its work. */
import type { Owner, Principal } from "#shared/base/principal.ts";
import { type TrackerIssue, maxIssues } from "#shared/contracts/tracker/issue-fields.ts";
import type { IssueMove, SessionIssues } from "#shared/contracts/tracker/issues.ts";
import type { Mapping } from "#shared/contracts/tracker/mappings.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { ServiceError } from "#shared/base/errors.ts";
import { type ConnectedTrackers, chosen } from "../trackers/connected-trackers.ts";
import type { IssueTracker } from "../trackers/issue-tracker.ts";

const recentIssues = 10;
/** Words that say nothing about the work. */
const emptyWords = new Set(["main", "master", "develop", "session", "feature", "fix", "feat", "chore", "bugfix"]);
const maxWords = 8;

interface Dependencies {
	readonly trackers: ConnectedTrackers;
	readonly mappingOf: (owner: Owner, repo: string) => Promise<Mapping | undefined>;
	readonly movesOf: (principal: Principal, session: string) => Promise<IssueMove[]>;
}

export class IssuesOfSession {
	readonly #dependencies: Dependencies;

	constructor(dependencies: Dependencies) {
		this.#dependencies = dependencies;
	}

	/** Returns what can be found; what cannot be asked is a warning. @param session A session that the caller may see. */
	async read(principal: Principal, session: Session): Promise<SessionIssues> {
		const { trackers, mappingOf, movesOf } = this.#dependencies;
		const [mapping, moves] = await Promise.all([
			mappingOf({ tenant: principal.tenant, id: session.owner_id ?? "" }, session.repo).then((found) => found ?? null),
			movesOf(principal, session.id),
		]);
		const nothing = { mapping, linked: null, related: [], moves };
		if (!mapping && session.tracker_issue_id === null) return { ...nothing, warnings: [] };
		const { connections, warnings } = await trackers.of(principal);
		const connection = chosen(connections, mapping ?? { connection_id: null, tracker: null });
		if (!connection) return { ...nothing, warnings: [...warnings, "You have no connection to the tracker"] };
		const asked: CollectedWarnings = { warnings: [...warnings] };
		const tracker = await within(asked, trackers.open(principal, connection));
		if (!tracker) return { ...nothing, warnings: asked.warnings };
		const [linked, related] = await Promise.all([
			linkedIssue(tracker, session, asked),
			mapping ? relatedIssues(tracker, session, { project: mapping.project_id, asked }) : [],
		]);
		const others = related.filter(({ id }) => id !== linked?.id);
		return { mapping, linked: linked ?? null, related: unique(others), moves, warnings: [...new Set(asked.warnings)] };
	}
}

interface CollectedWarnings {
	readonly warnings: string[];
}

/** Resolves to undefined after a failure, which becomes a warning. */
async function within<T>({ warnings }: CollectedWarnings, work: Promise<T>): Promise<T | undefined> {
	return work.catch((error: unknown) => {
		if (!(error instanceof ServiceError)) throw error;
		warnings.push(error.message);
		return undefined;
	});
}

async function linkedIssue(
	tracker: IssueTracker,
	{ tracker_issue_id }: Session,
	asked: CollectedWarnings,
): Promise<TrackerIssue | undefined> {
	return tracker_issue_id === null ? undefined : within(asked, tracker.issue(tracker_issue_id));
}

/** Returns the issues that contain words of the session, then the last updated ones. */
async function relatedIssues(
	tracker: IssueTracker,
	session: Session,
	{ project, asked }: { project: string; asked: CollectedWarnings },
): Promise<TrackerIssue[]> {
	const words = wordsOf(session);
	const hits = words === "" ? [] : within(asked, tracker.search(words, project));
	const recent = within(asked, tracker.recent(project, recentIssues));
	return [...((await hits) ?? []), ...((await recent) ?? [])];
}

/** Returns the words of the name and the branch that may be in the title of an issue. */
export function wordsOf({ name, branch }: Pick<Session, "name" | "branch">): string {
	const words = `${name} ${branch}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	const telling = words.filter((word) => word.length > 2 && !emptyWords.has(word));
	return [...new Set(telling)].slice(0, maxWords).join(" ");
}

function unique(issues: readonly TrackerIssue[]): TrackerIssue[] {
	return [...new Map(issues.map((issue) => [issue.id, issue])).values()].slice(0, maxIssues);
}
