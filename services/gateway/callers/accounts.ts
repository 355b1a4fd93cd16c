/**
 * Says whose requests are limited together and have their turns together: those of a person with whatever credential, and those
 * of the pods of a person. So nobody has more of the gateway by having more sessions. The owner of a session is asked for in the background, because a request of a pod must not wait for the answer: until it is there, the pod
 * counts alone.
 */
import { bound } from "#shared/base/bounds.ts";
import { LRUCache } from "lru-cache";
import { personKey, type Principal } from "#shared/base/principal.ts";

/** Somebody whose requests are counted together. */
export interface Account {
	readonly key: string;
	/** The tenant whose places the requests take as well; undefined when it is not known. */
	readonly tenant: string | undefined;
}

/** The owner of a session as far as its record names one. */
interface SessionOwner {
	readonly owner_id: string | null;
	readonly tenant_id: string | null;
}

/** The time after which an owner is asked for again, in milliseconds: a session may have another one by then. */
const knownMs = 600_000;
/** The time after which a failed question is repeated, in milliseconds. */
const unknownMs = 5_000;

/** Returns a key that distinguishes callers in memory. A person's logins and tokens have the same one. */
export function callerKey({ kind, tenant, id }: Principal): string {
	return kind === "pod" ? `pod ${id}` : `person ${personKey(tenant, id)}`;
}

/** Returns the account of a caller of whom nothing else is known. */
export function ownAccount(principal: Principal): Account {
	return { key: callerKey(principal), tenant: principal.kind === "pod" ? undefined : principal.tenant };
}

/** It remembers the accounts of at most `bound.countedCallers` pods. */
export class Accounts {
	readonly #ask: (pod: Principal) => Promise<SessionOwner>;
	readonly #accounts = new LRUCache<string, Account>({ max: bound.countedCallers });
	readonly #asking = new Set<string>();

	/** @param ask Asks for the session of a pod, as that pod. */
	constructor(ask: (pod: Principal) => Promise<SessionOwner>) {
		this.#ask = ask;
	}

	accountOf(principal: Principal): Account {
		if (principal.kind !== "pod") return ownAccount(principal);
		const known = this.#accounts.get(principal.id);
		if (!known) void this.#find(principal);
		return known ?? ownAccount(principal);
	}

	async #find(pod: Principal): Promise<void> {
		const { id } = pod;
		if (this.#asking.has(id)) return;
		this.#asking.add(id);
		try {
			const { owner_id, tenant_id } = await this.#ask(pod);
			const tenant = tenant_id ?? "";
			const account = owner_id === null ? ownAccount(pod) : { key: `pods of ${personKey(tenant, owner_id)}`, tenant };
			this.#accounts.set(id, account, { ttl: knownMs });
		} catch {
			this.#accounts.set(id, ownAccount(pod), { ttl: unknownMs });
		} finally {
			this.#asking.delete(id);
		}
	}
}
