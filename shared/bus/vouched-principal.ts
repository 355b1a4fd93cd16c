/**
 * A principal that code of this process vouches for. It cannot be made from outside: what arrives as JSON is never one,
 * whatever members it has, and showing it costs nothing.
 */
import type { Principal } from "./principal.ts";

export class VouchedPrincipal {
	readonly #principal: Principal;

	constructor(principal: Principal) {
		this.#principal = principal;
	}

	/** The principal in a vouched one; of anything else nothing. */
	static read(value: unknown): Principal | undefined {
		return typeof value === "object" && value !== null && #principal in value ? value.#principal : undefined;
	}
}

/** To be called for a principal that has shown who it is, and for jobs of the platform itself. */
export function vouch(principal: Principal): VouchedPrincipal {
	return new VouchedPrincipal(principal);
}
