/**
 * Enters refused requests of known people into the audit log: the first one of each person and action at once, and those
 * that follow within a second as one entry at its end. A refusal of one action never hides those of another.
 */
import { LRUCache } from "lru-cache";
import { isPerson, type Principal, systemPrincipal } from "#shared/base/principal.ts";
import { call, type Caller } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { after } from "#shared/base/clock.ts";
import { audit } from "#shared/contracts/audit.ts";

/** The time that one entry stands for, in milliseconds. */
const gatherMs = 1_000;
/** The count of persons and actions that are remembered; a refusal of a forgotten one may be entered at once again. */
const remembered = 10_000;
/** The longest reason of an entry, in UTF-16 units. */
const maxReason = 900;

interface RefusedRequest {
	/** The tenant is empty for somebody who may act in none. */
	readonly principal: Principal;
	readonly action: string;
	/** The object, where the path of the request names it. */
	readonly resource?: string;
	readonly reason: string;
	readonly address: string;
	readonly request_id?: string;
}

/** The refusals of one person and action within the time of one entry. */
interface Gathered {
	count: number;
	newest: RefusedRequest;
}

/** The refusals of one gateway. A refusal that cannot be entered is lost, so that the log never delays an answer. */
export class RefusalNotes {
	readonly #bus: () => Caller | undefined;
	readonly #operators: string;
	readonly #gatherMs: number;
	readonly #gathering = new LRUCache<string, Gathered>({ max: remembered });

	/** @param operators The tenant whose log has the refusals of people who may act in no tenant. */
	constructor(bus: () => Caller | undefined, operators: string, everyMs = gatherMs) {
		this.#bus = bus;
		this.#operators = operators;
		this.#gatherMs = everyMs;
	}

	note(refused: RefusedRequest): void {
		const { principal, action } = refused;
		if (!this.#bus() || !isPerson(principal)) return;
		const key = JSON.stringify([principal.tenant, principal.id, action]);
		const known = this.#gathering.get(key);
		if (known) {
			known.count++;
			known.newest = refused;
			return;
		}
		this.#gather(key, refused);
		this.#enter(refused, refused.reason);
	}

	/** Gathers what follows a refusal that was entered. */
	#gather(key: string, newest: RefusedRequest): void {
		const gathered: Gathered = { count: 0, newest };
		this.#gathering.set(key, gathered);
		after(this.#gatherMs, () => {
			if (this.#gathering.peek(key) === gathered) this.#gathering.delete(key);
			if (gathered.count === 0) return;
			const { count, newest: last } = gathered;
			this.#gather(key, last);
			this.#enter(last, `${last.reason} (${count} refusals of this action within a second)`);
		});
	}

	#enter({ principal, reason: _reason, ...about }: RefusedRequest, told: string): void {
		const bus = this.#bus();
		if (!bus) return;
		const { kind, id, tenant } = principal;
		const actor = { kind: kind === "pat" ? "pat" : "user", id, tenant: tenant || this.#operators } as const;
		const entry = { actor, ...about, outcome: "refused", reason: told.slice(0, maxReason) } as const;
		const meta = { principal: vouch(systemPrincipal("gateway")) };
		void call(bus, audit.actions.enter, entry, { meta }).catch(() => {});
	}
}

export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
