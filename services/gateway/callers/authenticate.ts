/**
 * Authenticates requests: people by the configured identity provider, their programs by personal access tokens, session
 * pods by their key.
 */
import type { IncomingHttpHeaders } from "node:http";
import { mayUseSession } from "#shared/contracts/access/access-table.ts";
import { admit } from "#shared/contracts/access/admission.ts";
import type { AnyAction } from "#shared/contracts/contract.ts";
import { anonymous, type Principal } from "#shared/base/principal.ts";
import type { IdentifiedPerson } from "#shared/contracts/identity/admissions.ts";
import { ForbiddenError } from "#shared/base/errors.ts";
import type { InstallationKey } from "#shared/base/secrets/keys.ts";
import { launchOfToken } from "#shared/base/secrets/pod-token.ts";
import type { Admissions } from "./admissions.ts";
import { bearerToken } from "./bearer-token.ts";
import type { Ends } from "../http/connection-rows.ts";
import { HttpError } from "../http/http-errors.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { namedTenant, refuseOtherTenant } from "./named-tenant.ts";
import type { PersonalTokens } from "./personal-tokens.ts";

const notItsSession = new HttpError(404, "The key of a pod finds no session but its own");

export type PathParams = Readonly<Record<string, string | undefined>>;

/** The parts of a request that identify its sender and its object. */
export interface Claim {
	readonly headers: IncomingHttpHeaders;
	/** The headers as they arrived, as alternating names and values. */
	readonly received?: readonly string[];
	readonly connection: Ends;
	readonly path: PathParams;
}

interface AuthenticatorDependencies {
	readonly identity: Pick<IdentityProvider, "authenticate">;
	readonly key: InstallationKey;
	readonly tokens: PersonalTokens;
	readonly admissions: Pick<Admissions, "admit" | "readmit">;
}

/** The circumstances of one look at a credential. */
interface Look {
	/**
	 * The principal that the same credential had before, when this is a second look: then the stored rights count and not
	 * the claims of the first request, and nothing is written.
	 */
	readonly known?: Principal;
	/**
	 * Learns who sends the request as soon as the credential says so, before anything decides what the sender may do. It is
	 * called again when more is known; the tenant is empty as long as nobody has said where the person acts.
	 */
	readonly identified?: (sender: Principal) => void;
}

/** It remembers nothing itself; the parts that it asks remember answers for some seconds. */
export class Authenticator {
	readonly #identity: Pick<IdentityProvider, "authenticate">;
	readonly #key: InstallationKey;
	readonly #tokens: PersonalTokens;
	readonly #admissions: Pick<Admissions, "admit" | "readmit">;

	constructor({ identity, key, tokens, admissions }: AuthenticatorDependencies) {
		this.#identity = identity;
		this.#key = key;
		this.#tokens = tokens;
		this.#admissions = admissions;
	}

	/**
	 * Returns the principal of a request for this action; the anonymous one where the action is public.
	 * @throws {UnauthorizedError} when no credential is valid.
	 * @throws {ForbiddenError} when the action is not for this kind of principal, and for people who are not admitted.
	 * @throws {UnavailableError} when nobody can say whether a token is still active, or a person a member.
	 */
	async authenticate(claim: Claim, action: AnyAction, look: Look = {}): Promise<Principal> {
		if (action.access === "public") return anonymous;
		const { path } = claim;
		const principal = admit(await this.#find(claim, look), action);
		const session = namedSession(path) ?? principal.id;
		if (principal.kind === "pod" && !mayUseSession(principal, "see", { session })) throw notItsSession;
		return principal;
	}

	async #find(claim: Claim, look: Look): Promise<Principal | undefined> {
		const { headers, connection, received } = claim;
		const wanted = namedTenant(headers);
		const found =
			this.#byToken(bearerToken(headers, connection)) ?? this.#identity.authenticate(headers, connection, received);
		const caller = await found;
		if (caller?.kind === "claimed") return this.#member(caller.person, wanted, look);
		if (!caller) return undefined;
		look.identified?.(caller);
		refuseOtherTenant(caller, wanted);
		return caller;
	}

	/** Returns the sender of a token that no identity provider sees; undefined for every other one. */
	#byToken(token: string | undefined): Promise<Principal | undefined> | undefined {
		if (token?.startsWith("svcs_")) return Promise.resolve(this.#pod(token));
		return token !== undefined && this.#tokens.claims(token) ? this.#tokens.authenticate(token) : undefined;
	}

	/** Returns the person as a member of a tenant. A second look never admits anybody: the claims may be outdated by now. */
	async #member(person: IdentifiedPerson, wanted: string | undefined, look: Look): Promise<Principal> {
		const { known, identified } = look;
		if (known) return this.#admissions.readmit(known);
		identified?.({ kind: "user", id: person.id, tenant: "", roles: [] });
		try {
			const principal = await this.#admissions.admit(person, wanted);
			identified?.(principal);
			return principal;
		} catch (error) {
			const own = error instanceof ForbiddenError && wanted !== undefined && identified;
			const principal = own ? await this.#admissions.admit(person).catch(() => undefined) : undefined;
			if (principal) identified?.(principal);
			throw error;
		}
	}

	/** Returns the principal of the pod that this token was made for; undefined for an invalid token. */
	#pod(token: string): Principal | undefined {
		const launch = launchOfToken(token, (id, generation) => this.#key.podToken(id, generation));
		return launch && { kind: "pod", id: launch.sessionId, generation: launch.generation, tenant: "", roles: [] };
	}
}

/**
 * Returns the session id in a path, by either of the contract's two names for it. Where a body names sessions instead,
 * the service finds only the pod's own one.
 */
export function namedSession(path: PathParams): string | undefined {
	return path["session_id"] ?? path["chronicle_id"];
}
