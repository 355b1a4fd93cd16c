/** Names the caller whose requests are limited and have their turns: a person, with whatever credential, or a pod. */
import { personKey, type Principal } from "#shared/bus/principal.ts";

/** Returns a key that distinguishes callers in memory. A person's logins and tokens have the same one. */
export function callerKey({ kind, tenant, id }: Principal): string {
	return kind === "pod" ? `pod ${id}` : `person ${personKey(tenant, id)}`;
}
