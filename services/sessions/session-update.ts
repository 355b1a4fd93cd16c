/** What an update of a session changes for its next launch. Pure but for the time. */
import { now } from "#shared/clock.ts";
import type { Session } from "#shared/contracts/session-resource.ts";
import type { LaunchSettings } from "#shared/pod/launch.ts";
import type { SessionChange, SessionRecord } from "./session-change.ts";

/** Members that are absent or null stay. */
export interface SessionUpdate {
	readonly name?: string | null | undefined;
	readonly model?: string | null | undefined;
	readonly branch?: string | null | undefined;
	readonly tracker_issue_id?: string | null | undefined;
}

/** The running pod keeps what it was launched with. */
export function updateChange({ session, document }: SessionRecord, update: SessionUpdate): SessionChange {
	const { name, model, branch, tracker_issue_id } = update;
	const members: Partial<Session> = {
		...(name && { name }),
		...(model && { model }),
		...(branch && { branch, source: { ...session.source, branch } }),
		...(tracker_issue_id && { tracker_issue_id }),
	};
	const launch = document.launch as LaunchSettings;
	return { at: now(), members, columns: { set: { launch: updatedLaunch(launch, update) } }, event: "session_updated" };
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
