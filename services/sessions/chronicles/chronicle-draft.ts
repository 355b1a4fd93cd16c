/** Makes new chronicles, and the changes of a chronicle by reports and edits. Pure. */
import { givenMembers } from "#shared/base/given-members.ts";
import { isoTime } from "#shared/base/clock.ts";
import type { Chronicle, ChronicleReport } from "#shared/contracts/sessions/chronicles.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ChronicleDocument } from "./chronicle-collections.ts";

interface DraftOrder {
	readonly id: string;
	readonly session: Session;
	readonly launch: unknown;
	/** The chronicle that its session was reforged from, while that exists. */
	readonly parent: string | undefined;
	/** The newest chronicle of the session, if there is one. */
	readonly former: ChronicleDocument | undefined;
	/** The time in milliseconds since 1970. */
	readonly at: number;
}

export function newDraft({ id, session, launch, parent, former, at }: DraftOrder): ChronicleDocument {
	const { name, model, repo, branch } = session;
	// The times of a session's chronicles grow like their numbers, whatever the clock does.
	const created_at = isoTime(Math.max(at, former?.created_at === undefined ? 0 : Date.parse(former.created_at) + 1));
	const chronicle: Chronicle = {
		id,
		session_id: session.id,
		status: "draft",
		project: projectOf(repo),
		repo,
		branch,
		model,
		config_snapshot: { name, model, repo, branch },
		summary: null,
		key_changes: [],
		unfinished_work: null,
		...booksOf(session),
		duration_seconds: null,
		tags: [],
		parent_chronicle_id: parent ?? null,
		created_at,
		updated_at: created_at,
	};
	return {
		id,
		wire: JSON.stringify(chronicle),
		tenant: session.tenant_id ?? "",
		owner: session.owner_id ?? "",
		session: session.id,
		ordinal: (former?.ordinal ?? 0) + 1,
		status: "draft",
		created_at,
		rev: 1,
		...(parent !== undefined && { parent }),
		launch,
	};
}

/** Returns the change of a draft that was begun before the session knew the branch of its remote; undefined when there is none. */
export function foundBranch(
	{ branch: former, config_snapshot }: Chronicle,
	{ branch }: Session,
): { members: Partial<Chronicle> } | undefined {
	if (former !== "" || branch === "") return undefined;
	return { members: { branch, config_snapshot: { ...config_snapshot, branch } } };
}

/** Returns the members of a report with the session's usage and cost. */
export function reportedMembers(report: ChronicleReport, session: Session): Partial<Chronicle> {
	return { ...givenMembers(report), ...booksOf(session) };
}

/** Returns the usage and the cost; models without a price add nothing to the cost. */
function booksOf({ tokens_used, budget: { spent } }: Session): Pick<Chronicle, "token_usage" | "cost"> {
	return { token_usage: tokens_used, cost: spent > 0 ? spent : null };
}

/** Returns the last segment of a repository's URL, without `.git`. */
function projectOf(repo: string): string {
	const segments = repo.split(/[/:]/).filter((segment) => segment !== "");
	return (segments.at(-1) ?? "").replace(/\.git$/, "");
}
