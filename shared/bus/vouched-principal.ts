/**
 * A principal that code of this process vouches for. Nothing outside of this process can make one: data that arrives as
 * JSON is never an instance, whatever members it has. Logging the object reveals nothing.
 * @example
 * ```ts
 * await call(broker, sessions.actions.stop, { session_id }, { meta: { principal: vouch(systemPrincipal("sweep")) } });
 * ```
 */
import type { Principal } from "#shared/base/principal.ts";

/** Holds a principal in a private field, so that neither logs nor serializers show it. */
export class VouchedPrincipal {
	readonly #principal: Principal;

	constructor(principal: Principal) {
		this.#principal = principal;
	}

	/** Returns the principal of an instance; undefined for any other value. */
	static read(value: unknown): Principal | undefined {
		return typeof value === "object" && value !== null && #principal in value ? value.#principal : undefined;
	}
}

/** Vouches for a principal. Call this only for a caller who was authenticated and for jobs of the platform. */
export function vouch(principal: Principal): VouchedPrincipal {
	return new VouchedPrincipal(principal);
}
