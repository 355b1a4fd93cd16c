/** How a chronicle begins, and what a report or an edit makes of it. Pure. */
import { isoTime } from "#shared/clock.ts";
import type { Chronicle, ChronicleReport } from "#shared/contracts/chronicles.ts";
import type { Session } from "#shared/contracts/session-resource.ts";
import type { ChronicleDocument } from "./chronicle-collections.ts";

export interface DraftOrder {
	readonly id: string;
	readonly session: Session;
	/** LaunchSettings of the session. */
	readonly launch: unknown;
	/** The chronicle its session was reforged from, as long as that exists. */
	readonly parent: string | undefined;
	/** The newest chronicle of the session. */
	readonly former: ChronicleDocument | undefined;
	/** Milliseconds since 1970. */
	readonly at: number;
}

/** The document of a new draft. */
export function newDraft({ id, session, launch, parent, former, at }: DraftOrder): ChronicleDocument {
	const { name, model, repo, branch } = session;
	// The newest by time is the newest by number, whatever the clock does.
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

/** Members of a report or an edit that say something. */
export function saidMembers(said: Partial<Record<keyof Chronicle, unknown>>): Partial<Chronicle> {
	return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined && value !== null));
}

/** A report also brings the session's books up to date. */
export function reportedMembers(report: ChronicleReport, session: Session): Partial<Chronicle> {
	return { ...saidMembers(report), ...booksOf(session) };
}

/** Models without a price cost nothing that could be told. */
function booksOf({ tokens_used, budget: { spent } }: Session): Pick<Chronicle, "token_usage" | "cost"> {
	return { token_usage: tokens_used, cost: spent > 0 ? spent : null };
}

/** Last segment of a repository's URL, without `.git`. */
function projectOf(repo: string): string {
	const segments = repo.split(/[/:]/).filter((segment) => segment !== "");
	return (segments.at(-1) ?? "").replace(/\.git$/, "");
}
