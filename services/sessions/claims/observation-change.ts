/**
 * Computes the change of a session by an observation of its pods: the automatic transitions (specification, States and
 * transitions). Pure.
 */
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { type Observation, type ObservedPhase, podLost } from "#shared/contracts/sessions/session-work.ts";
import type { ReasonCode } from "#shared/contracts/sessions/status-reasons.ts";
import { isoTime } from "#shared/base/clock.ts";
import { branchChange } from "../workspace-sources/found-branches.ts";
import {
	both,
	type ColumnChange,
	enter,
	type SessionChange,
	type SessionRecord,
	statusOf,
} from "../record/session-change.ts";
import { isStarting, knownWaiting, launchReason } from "./launch-reason.ts";
import { launchWarnings } from "./launch-warnings.ts";
import { limitMs, type StoredStatus } from "../record/session-lifecycle.ts";
import { timeoutFailure } from "../record/status-reason.ts";

/** The code of a pod that an operator has ended together with the platform, which is no failure of its session. */
const endedInOrder = "POD_ENDED" satisfies ReasonCode;

interface Move {
	to: StoredStatus;
	/** The code of a pod of another version may be any text. */
	failure?: NonNullable<Observation["failure"]>;
}

/** Returns the change; undefined when clients would see no difference. Nothing is told of a session after its deletion. */
export function observationChange(record: SessionRecord, observed: Observation, at: number): SessionChange | undefined {
	if (statusOf(record) === "deleted") return undefined;
	const change = statusChange(record, observed, at);
	const found = branchChange({ ...record, session: { ...record.session, ...change?.members } }, observed);
	if (!found) return change;
	return {
		at,
		members: { ...change?.members, ...found.members },
		columns: both(change?.columns ?? {}, found.columns),
	};
}

function statusChange(record: SessionRecord, observed: Observation, at: number): SessionChange | undefined {
	const move = moveFor(record, observed, at);
	if (!move) return reasonChange(record, observed, at) ?? warningsChange(record, observed, at);
	const { members, columns } = enter(move.to, at, move.failure, limitMs(move.to, record.document.launch));
	return {
		at,
		members: { ...members, ...podMembers(record, observed, move.to) },
		columns: [workedChange(move.to), addressChange(observed), newAttempts].reduce(both, columns),
	};
}

/** Returns the change of the reason why a launch is not ready yet; undefined when people would read the same. */
function reasonChange(record: SessionRecord, observed: Observation, at: number): SessionChange | undefined {
	const { status_reason: shown } = record.session;
	const status = statusOf(record);
	const told = shown && isStarting(status) ? launchReason(shown, status, observed) : undefined;
	return told && { at, members: { status_reason: told }, columns: {} };
}

/** Returns the change of the warnings of a session that runs; undefined when they are the same. */
function warningsChange(record: SessionRecord, observed: Observation, at: number): SessionChange | undefined {
	const isRunning = statusOf(record) === "running" && observed.phase === "ready";
	const members = isRunning ? warningMembers(record, observed) : {};
	return members.warnings && { at, members, columns: {} };
}

function warningMembers(record: SessionRecord, { warnings = [] }: Observation): Partial<Session> {
	const shown = launchWarnings(record.session.warnings, warnings, statusOf(record) === "running");
	return shown === undefined ? {} : { warnings: shown };
}

/** The pauses between passes grow with the passes over the same status, and not with those of a launch that has taken long. */
const newAttempts: ColumnChange = { set: { attempts: 0 } };

/** Returns the change by which later launches know that there were files to work on. */
function workedChange(to: StoredStatus): ColumnChange {
	return to === "running" ? { set: { worked: 1 } } : {};
}

export function addressChange({ phase, address }: Observation): ColumnChange {
	if (address !== undefined && (phase === "launching" || phase === "ready")) return { set: { address } };
	return phase === "absent" || phase === "failed" ? { unset: ["address"] } : {};
}

const atRest = new Set<StoredStatus>(["created", "stopped", "failed", "archived", "deleted"]);

/** Whether nothing remains to be done for the pods of a session in this status until one of them changes. */
export function isReconciled(status: StoredStatus, { phase, purged }: Observation, purge: boolean): boolean {
	if (status === "running") return phase === "ready";
	return atRest.has(status) && phase === "absent" && (purged || !purge);
}

/** The automatic transitions; an observation that is not listed leaves the status unchanged. */
const moves: Partial<Record<StoredStatus, Partial<Record<ObservedPhase, StoredStatus>>>> = {
	starting: { launching: "provisioning", ready: "running", failed: "failed" },
	provisioning: { ready: "running", failed: "failed", absent: "failed" },
	running: { failed: "failed", absent: "failed" },
	stopping: { absent: "stopped" },
};

function moveFor(record: SessionRecord, observed: Observation, at: number): Move | undefined {
	const { failure = podLost } = observed;
	const status = statusOf(record);
	const to = moveOf(status, observed);
	if (to === "failed") return { to: failure.code === endedInOrder ? "stopped" : to, failure };
	if (to !== undefined) return { to };
	const overdue = record.document.deadline_at !== undefined && at > record.document.deadline_at;
	return overdue ? { to: "failed", failure: lateFailure(record, observed) } : undefined;
}

function moveOf(status: StoredStatus, { phase, waiting }: Observation): StoredStatus | undefined {
	// A pod that is gone and cannot be made again for now is not lost yet.
	if (status === "provisioning" && phase === "absent" && waiting) return undefined;
	return moves[status]?.[phase];
}

/** Returns the failure of a status that lasted too long: what the launch waits for, if that is known. */
function lateFailure(record: SessionRecord, observed: Observation): NonNullable<Observation["failure"]> {
	const status = statusOf(record);
	const waiting = isStarting(status) ? knownWaiting(record.session.status_reason, observed) : undefined;
	if (waiting) return { code: waiting.code, message: waiting.message };
	return timeoutFailure(status, limitMs(status, record.document.launch));
}

function podMembers(record: SessionRecord, observed: Observation, to: StoredStatus): Partial<Session> {
	const { session, document } = record;
	const claimed = document.claimed_at === undefined ? {} : { claimed: isoTime(document.claimed_at) };
	return {
		...(observed.pod_name !== undefined && { pod_name: observed.pod_name }),
		timings: { ...session.timings, ...claimed, ...observed.timings },
		...(observed.clones && { repositories: timed(session.repositories, observed.clones) }),
		...(to === "running" && { activity_state: "idle" as const, ...warningMembers(record, observed) }),
	};
}

function timed(
	repositories: Session["repositories"],
	clones: NonNullable<Observation["clones"]>,
): NonNullable<Session["repositories"]> {
	const times = new Map(clones.map(({ path, ms }) => [path, ms]));
	return (repositories ?? []).map((repository) => {
		const cloned_ms = times.get(repository.path);
		return cloned_ms === undefined ? repository : { ...repository, cloned_ms };
	});
}
