/**
 * Enters refused requests of known callers into the audit log: at most one a second for each person. The next entry of the
 * person says how many were left out.
 */
import { LRUCache } from "lru-cache";
import { isPerson, personKey, type Principal, systemPrincipal } from "#shared/bus/principal.ts";
import { call, type Caller } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { monotonic } from "#shared/clock.ts";
import { audit } from "#shared/contracts/audit.ts";

const everyMs = 1_000;
/** The count of persons who are remembered; a refusal of a forgotten one may be entered again. */
const rememberedPersons = 10_000;

/** The refusals of one person. */
interface Noted {
	/** The time of the last entry on the monotonic clock. */
	readonly at: number;
	/** The refusals since then that were not entered. */
	leftOut: number;
}

/** A request of a person that the gateway has refused. */
export interface RefusedRequest {
	readonly principal: Principal;
	/** The name of the action. */
	readonly action: string;
	readonly reason: string;
	readonly address: string;
}

/** The refusals of one gateway. A refusal that cannot be entered is lost, so that the log never delays an answer. */
export class RefusalNotes {
	readonly #bus: () => Caller | undefined;
	readonly #noted = new LRUCache<string, Noted>({ max: rememberedPersons });

	constructor(bus: () => Caller | undefined) {
		this.#bus = bus;
	}

	note({ principal, action, reason, address }: RefusedRequest): void {
		const bus = this.#bus();
		const { kind, id, tenant } = principal;
		if (!bus || !isPerson(principal)) return;
		const person = personKey(tenant, id);
		const noted = this.#noted.get(person);
		if (noted && monotonic() - noted.at < everyMs) {
			noted.leftOut++;
			return;
		}
		this.#noted.set(person, { at: monotonic(), leftOut: 0 });
		const told = noted?.leftOut ? `${reason} (${noted.leftOut} refusals before are not entered)` : reason;
		const actor = { kind: kind === "pat" ? "pat" : "user", id, tenant } as const;
		const entry = { actor, action, outcome: "refused", reason: told, address } as const;
		const meta = { principal: vouch(systemPrincipal("gateway")) };
		void call(bus, audit.actions.enter, entry, { meta }).catch(() => {});
	}
}
