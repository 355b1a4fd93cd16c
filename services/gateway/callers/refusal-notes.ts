/** Enters refused requests of known callers into the audit log: at most one a second for each address. */
import { LRUCache } from "lru-cache";
import { isPerson, type Principal, systemPrincipal } from "#shared/bus/principal.ts";
import { call, type Caller } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { monotonic } from "#shared/clock.ts";
import { audit } from "#shared/contracts/audit.ts";

const everyMs = 1_000;
/** The count of addresses that are remembered; a forgotten one may be entered again. */
const rememberedAddresses = 1_000;

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
	readonly #entered = new LRUCache<string, number>({ max: rememberedAddresses });

	constructor(bus: () => Caller | undefined) {
		this.#bus = bus;
	}

	note({ principal, action, reason, address }: RefusedRequest): void {
		const bus = this.#bus();
		const { kind, id, tenant } = principal;
		if (!bus || !isPerson(principal) || monotonic() - (this.#entered.get(address) ?? -Infinity) < everyMs) return;
		this.#entered.set(address, monotonic());
		const actor = { kind: kind === "pat" ? "pat" : "user", id, tenant } as const;
		const entry = { actor, action, outcome: "refused", reason, address } as const;
		const meta = { principal: vouch(systemPrincipal("gateway")) };
		void call(bus, audit.actions.enter, entry, { meta }).catch(() => {});
	}
}
