/** Computes the change of a session by an update, which applies to its next launch. Pure except for the time. */
import { now } from "#shared/clock.ts";
import type { Session } from "#shared/contracts/session-resource.ts";
import type { LaunchSettings } from "#shared/pod/launch.ts";
import { shownRepositories } from "../sources/session-repositories.ts";
import { limitChange } from "./session-budget.ts";
import { both, type SessionChange, type SessionRecord } from "./session-change.ts";

/** The members of an update; absent and null members leave the session unchanged. */
export interface SessionUpdate {
	readonly name?: string | null | undefined;
	readonly model?: string | null | undefined;
	readonly branch?: string | null | undefined;
	readonly tracker_issue_id?: string | null | undefined;
	readonly budget?: { readonly limit: number | null } | null | undefined;
}

/** Returns the change; the running pod keeps the settings of its launch. */
export function updateChange(record: SessionRecord, update: SessionUpdate): SessionChange {
	const { session, document } = record;
	const { name, model, branch, tracker_issue_id, budget } = update;
	const at = now();
	const launch = updatedLaunch(document.launch as LaunchSettings, update);
	const limited = budget ? limitChange(record, budget.limit, at) : undefined;
	const members: Partial<Session> = {
		...(name && { name }),
		...(model && { model }),
		...(branch && session.source.type === "git" && branchMembers(session, branch, launch)),
		...(tracker_issue_id && { tracker_issue_id }),
		...limited?.members,
	};
	const columns = both({ set: { launch } }, limited?.columns ?? {});
	return { at, members, columns, event: "session_updated" };
}

function branchMembers(session: Session, branch: string, launch: LaunchSettings): Partial<Session> {
	return {
		branch,
		source: { ...session.source, branch },
		...(session.repositories && { repositories: shownRepositories(launch) }),
	};
}

function updatedLaunch(launch: LaunchSettings, { name, model, branch }: SessionUpdate): LaunchSettings {
	const [own, ...further] = launch.repositories;
	return {
		...launch,
		...(name && { name }),
		...(model && { model }),
		...(branch && own && { repositories: [{ ...own, branch }, ...further] }),
	};
}
