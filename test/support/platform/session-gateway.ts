/** A small implementation of the session-work contract in memory, with real leases, fences and due times. */
import { bound } from "#shared/base/bounds.ts";
import { now } from "#shared/base/clock.ts";
import { personKey } from "#shared/base/principal.ts";
import type { UnderWay } from "#services/pod-manager/reconciliation/reconciler.ts";
import type { Claim, Desired, Expectation, Observation, PassReport } from "#shared/contracts/sessions/session-work.ts";
import type { ExpectationQuery } from "#services/pod-manager/reconciliation/sweep.ts";
import { launchSettings } from "../pods/memory-pods.ts";

const leaseMs = 15_000;
const tenant = "acme";

interface DeskSession {
	owner: string;
	desired: Desired;
	generation: number;
	fence: number;
	attempts: number;
	leasedUntil: number;
	/** The due time; undefined: nothing is to be done. */
	dueAt: number | undefined;
	readonly observed: Observation[];
	readonly dueInMs: number[];
}

export class SessionDesk {
	readonly sessions = new Map<string, DeskSession>();

	/** Issues a command: the session is due from now on. */
	want(id: string, desired: Desired, generation = 1, owner = "ada"): void {
		const former = this.sessions.get(id) ?? { owner, fence: 0, leasedUntil: 0, observed: [], dueInMs: [] };
		this.sessions.set(id, { ...former, desired, generation, attempts: 0, dueAt: now() });
	}

	/** Returns the newest observation of a session. */
	last(id: string): Observation | undefined {
		return this.sessions.get(id)?.observed.at(-1);
	}

	/** Claims sessions; of due ones at most `bound.passesOfOne` of each owner are under way then. */
	async claim(limit: number, ids?: readonly string[], underWay: UnderWay = {}): Promise<Claim[]> {
		const at = now();
		const passes = new Map(Object.entries(underWay));
		const wanted = [...this.sessions].filter(([id, { owner, dueAt, leasedUntil }]) => {
			if (leasedUntil > at || !(ids ? ids.includes(id) : dueAt !== undefined && dueAt <= at)) return false;
			const key = personKey(tenant, owner);
			passes.set(key, (passes.get(key) ?? 0) + 1);
			return ids !== undefined || (passes.get(key) ?? 0) <= bound.passesOfOne;
		});
		return wanted.slice(0, limit).map(([id, session]) => {
			session.fence++;
			session.attempts++;
			session.leasedUntil = at + leaseMs;
			session.dueAt = at + leaseMs;
			return claimOf(id, session);
		});
	}

	/** A session is as it shall be, so that no pass over it is due. */
	settle(id: string): void {
		const session = this.sessions.get(id);
		if (session) session.dueAt = undefined;
	}

	/** Returns the launch of a session that shall run; null when its pod must not run. */
	launchOf(id: string, generation: number): Claim | null {
		const session = this.sessions.get(id);
		return session?.desired === "run" && session.generation === generation ? claimOf(id, session) : null;
	}

	/** Returns all sessions on one page. */
	async expected(asked: ExpectationQuery): Promise<{ sessions: Expectation[] }> {
		const sessions = [...this.sessions].map(([id, { generation, desired }]) => ({ id, generation, desired }));
		return { sessions: "ids" in asked ? sessions.filter(({ id }) => asked.ids.includes(id)) : sessions };
	}

	async observe({ id, fence, observed, due_in_ms }: PassReport): Promise<boolean> {
		const session = this.sessions.get(id);
		if (session?.fence !== fence) return false;
		session.observed.push(observed);
		session.dueInMs.push(due_in_ms);
		session.leasedUntil = 0;
		const isReconciled = session.desired === "run" ? observed.phase === "ready" : observed.phase === "absent";
		session.dueAt = isReconciled ? undefined : now() + due_in_ms;
		return true;
	}
}

function claimOf(id: string, { owner, generation, desired, fence, attempts }: DeskSession): Claim {
	return { id, tenant, owner, generation, desired, fence, attempts, workspace: id, launch: { ...launchSettings } };
}
