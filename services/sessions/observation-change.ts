/** What an observation of its pods makes of a session: the automatic moves (specification, States and transitions). Pure. */
import type { Session } from "#shared/contracts/session-resource.ts";
import type { Observation } from "#shared/contracts/session-work.ts";
import { isoTime } from "#shared/clock.ts";
import { both, type ColumnChange, enter, type SessionChange, type SessionRecord, statusOf } from "./session-change.ts";
import type { StoredStatus } from "./session-lifecycle.ts";
import { timeoutFailure } from "./status-reason.ts";

type Failure = { code: string; message: string };

interface Move {
	to: StoredStatus;
	failure?: Failure;
}

/** Undefined when a client would see no difference. */
export function observationChange(record: SessionRecord, observed: Observation, at: number): SessionChange | undefined {
	const move = moveFor(record, observed, at);
	if (!move) return undefined;
	const { members, columns } = enter(move.to, at, move.failure);
	return {
		at,
		members: { ...members, ...podMembers(record, observed, move.to) },
		columns: both(columns, addressChange(observed)),
		event: "session_updated",
	};
}

/** The base URL of the pod, as far as it is known. */
export function addressChange({ phase, address }: Observation): ColumnChange {
	if (address !== undefined && (phase === "launching" || phase === "ready")) return { set: { address } };
	return phase === "absent" || phase === "failed" ? { unset: ["address"] } : {};
}

/** Whether nothing is left to do for the pods of a session in this status. */
export function isSettled(status: StoredStatus, { phase, purged }: Observation, purge: boolean): boolean {
	const atRest = status === "stopped" || status === "failed" || status === "archived" || status === "deleted";
	return atRest && phase === "absent" && (purged || !purge);
}

function moveFor(record: SessionRecord, observed: Observation, at: number): Move | undefined {
	const status = statusOf(record);
	const move = status === "stopping" ? stoppingMove(observed) : launchMove(status, observed);
	if (move) return move.to === status ? undefined : move;
	return overdue(record, at) ? { to: "failed", failure: timeoutFailure(status) } : undefined;
}

function stoppingMove({ phase }: Observation): Move | undefined {
	return phase === "absent" ? { to: "stopped" } : undefined;
}

const podLost: Failure = { code: "POD_LOST", message: "The session's pod ended without being asked to" };

function launchMove(status: StoredStatus, { phase, failure }: Observation): Move | undefined {
	if (status !== "starting" && status !== "provisioning" && status !== "running") return undefined;
	switch (phase) {
		case "ready":
			return { to: "running" };
		case "failed":
			return { to: "failed", failure: failure ?? podLost };
		case "launching":
			return status === "starting" ? { to: "provisioning" } : undefined;
		case "absent":
			return status === "starting" ? undefined : { to: "failed", failure: podLost };
		case "blocked":
		case "leaving":
			return undefined;
	}
}

/** A launch is late from its first claim on, every other step from its beginning. */
function overdue({ document }: SessionRecord, at: number): boolean {
	return document.deadline_at !== undefined && at > document.deadline_at;
}

function podMembers({ session, document }: SessionRecord, observed: Observation, to: StoredStatus): Partial<Session> {
	const claimed = document.claimed_at === undefined ? {} : { claimed: isoTime(document.claimed_at) };
	return {
		...(observed.pod_name !== undefined && { pod_name: observed.pod_name }),
		timings: { ...session.timings, ...claimed, ...observed.timings },
		...(to === "running" && { activity_state: "idle" as const }),
	};
}
