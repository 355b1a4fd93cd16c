/** One person on the bus, and the pod manager, which the test replaces. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import type { ServiceBroker } from "moleculer";
import type { Principal } from "#shared/base/principal.ts";
import { eventLog, type LogEntry } from "#shared/contracts/event-log.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { type Claim, type ObservedPhase, sessionWork } from "#shared/contracts/sessions/session-work.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { eventually } from "../eventually.ts";
import { alice, callAs, type Calling, job } from "../bus/test-brokers.ts";

export function seen(phase: ObservedPhase) {
	return { phase, timings: {}, purged: false };
}

export class SessionActor {
	readonly principal: Principal;
	readonly #near: ServiceBroker;

	/** Every test has another person, so that tests do not see each other's sessions. */
	constructor(near: ServiceBroker, principal: Principal = { ...alice, id: randomUUID() }) {
		this.#near = near;
		this.principal = principal;
	}

	create(more: object = {}, key?: string): Promise<Session> {
		return callAs(this.#near, this.#with(key), sessions.actions.create, { name: "a", ...more });
	}

	get(session_id: string): Promise<Session> {
		return callAs(this.#near, this.principal, sessions.actions.get, { session_id });
	}

	command(command: "start" | "stop" | "archive" | "restore", session_id: string, key?: string): Promise<Session> {
		return callAs(this.#near, this.#with(key), sessions.actions[command], { session_id });
	}

	delete(session_id: string, cleanup: "workspace_storage"[] = []): Promise<void> {
		return callAs(this.#near, this.principal, sessions.actions.delete, { session_id, cleanup });
	}

	list(params: object = {}) {
		return callAs(this.#near, this.principal, sessions.actions.list, params);
	}

	claim(id: string): Promise<Claim[]> {
		return callAs(this.#near, job, sessionWork.actions.claim_due, { limit: 1, ids: [id] });
	}

	observe({ id, fence, generation }: Claim, phase: ObservedPhase, due_in_ms = 0, purged = false): Promise<boolean> {
		const observed = { ...seen(phase), purged };
		return callAs(this.#near, job, sessionWork.actions.observe, { id, fence, generation, observed, due_in_ms });
	}

	/** Performs a pass of a pod manager that observes `phase`. */
	async pass(id: string, phase: ObservedPhase): Promise<void> {
		const [taken] = await this.claim(id);
		if (!taken) throw new Error("The session is leased");
		expect(await this.observe(taken, phase)).to.equal(true);
	}

	async running(): Promise<Session> {
		const { id } = await this.create();
		await this.pass(id, "ready");
		return this.get(id);
	}

	async stopped(): Promise<Session> {
		const { id } = await this.running();
		return this.stop(id);
	}

	/** Requests a stop; resolves, when the request is stored, to the answer, which waits for the end of the pod. */
	async stopping(id: string, key?: string): Promise<{ answer: Promise<Session> }> {
		const answer = this.command("stop", id, key);
		answer.catch(() => {});
		await eventually(async () => (await this.get(id)).status === "stopping");
		return { answer };
	}

	/** Stops a session whose pod is gone at once. */
	async stop(id: string, key?: string): Promise<Session> {
		const { answer } = await this.stopping(id, key);
		await this.pass(id, "absent");
		return answer;
	}

	/** Resolves to the events of one session. */
	async events(id: string): Promise<LogEntry[]> {
		const entries: LogEntry[] = [];
		for (;;) {
			const after = entries.at(-1)?.seq ?? 0;
			const more = await callAs(this.#near, job, eventLog.actions.read, { after, limit: 500 });
			if (more.length === 0) return entries.filter(({ data }) => data.includes(id));
			entries.push(...more);
		}
	}

	#with(key: string | undefined): Calling {
		return { principal: this.principal, meta: key === undefined ? {} : { idempotency_key: key } };
	}
}
