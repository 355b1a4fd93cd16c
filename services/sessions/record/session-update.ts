/** Computes the change of a session by an update, which applies to its next launch. Pure except for the time. */
import { now } from "#shared/base/clock.ts";
import type { ParamsOf } from "#shared/contracts/contract.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { sessions } from "#shared/contracts/sessions/sessions.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import { limitChange } from "./session-budget.ts";
import { both, type SessionChange, type SessionRecord } from "./session-change.ts";

/** Absent and null members leave the session unchanged. */
export type SessionUpdate = Readonly<ParamsOf<typeof sessions.actions.update, "session_id">>;

/** Returns the change; the running pod keeps the settings of its launch. */
export function updateChange(record: SessionRecord, update: SessionUpdate): SessionChange {
	const { session, document } = record;
	const { name, model, tracker_issue_id, budget } = update;
	const at = now();
	const launch = updatedLaunch(document.launch as LaunchSettings, update);
	const limited = budget ? limitChange(record, budget.limit, at) : undefined;
	const members: Partial<Session> = {
		...(name && { name }),
		...(model && { model }),
		...(session.source.type === "git" && branchMembers(session, update, launch)),
		...(tracker_issue_id && { tracker_issue_id }),
		...limited?.members,
	};
	const columns = both({ set: { launch } }, limited?.columns ?? {});
	return { at, members, columns };
}

/** Returns what clients see of the repositories; a workspace without a repository of somebody has none. */
export function shownRepositories({ repositories }: Pick<LaunchSettings, "repositories">): Session["repositories"] {
	return repositories.filter(({ url }) => url !== "").map(({ url, branch, path }) => ({ url, branch, path }));
}

function branchMembers(session: Session, update: SessionUpdate, launch: LaunchSettings): Partial<Session> {
	const { branch, base_branch } = chosenBranches(update);
	if (branch === undefined && base_branch === undefined) return {};
	return {
		...(branch && { branch }),
		source: { ...session.source, ...chosenBranches(update) },
		repositories: shownRepositories(launch),
	};
}

function updatedLaunch(launch: LaunchSettings, update: SessionUpdate): LaunchSettings {
	const { name, model } = update;
	const [own, ...further] = launch.repositories;
	return {
		...launch,
		...(name && { name }),
		...(model && { model }),
		...(own && { repositories: [{ ...own, ...chosenBranches(update) }, ...further] }),
	};
}

function chosenBranches({ branch, base_branch }: SessionUpdate): { branch?: string; base_branch?: string } {
	return { ...(branch && { branch }), ...(base_branch && { base_branch }) };
}
