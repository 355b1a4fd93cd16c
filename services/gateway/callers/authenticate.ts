/**
 * Authenticates requests: people by the configured identity provider, their programs by personal access tokens, session
 * pods by their key.
 */
import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { mayUseSession } from "#shared/access/access-table.ts";
import { admit } from "#shared/access/admission.ts";
import type { AnyAction } from "#shared/bus/contract.ts";
import { anonymous, type Principal } from "#shared/bus/principal.ts";
import { ForbiddenError } from "#shared/errors.ts";
import type { InstallationKey } from "#shared/secrets/keys.ts";
import type { Admissions } from "./admissions.ts";
import { bearerToken } from "./bearer-token.ts";
import type { Ends } from "../http/connection-rows.ts";
import { notFound } from "../http/http-errors.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import type { PersonalTokens } from "./personal-tokens.ts";
import type { RefusalNotes } from "./refusal-notes.ts";

const podTokenForm = /^svcs_([0-9a-f-]{36})_(\d{1,9})_[\w-]{43}$/;

/** The parameters in the path of a request. */
export type PathParams = Readonly<Record<string, string | undefined>>;

/** The parts of a request that identify its sender and its object. */
export interface Claim {
	readonly headers: IncomingHttpHeaders;
	/** The headers as they arrived, as alternating names and values. */
	readonly received?: readonly string[];
	readonly connection: Ends;
	readonly path: PathParams;
}

/** The dependencies of an {@link Authenticator}. */
export interface AuthenticatorOptions {
	readonly identity: Pick<IdentityProvider, "authenticate">;
	readonly key: InstallationKey;
	readonly tokens: PersonalTokens;
	readonly admissions: Pick<Admissions, "admit">;
	/** Learns of requests that a known caller may not make. */
	readonly refusals?: Pick<RefusalNotes, "note">;
}

/** Authenticates the requests of one gateway. */
export class Authenticator {
	readonly #identity: Pick<IdentityProvider, "authenticate">;
	readonly #key: InstallationKey;
	readonly #tokens: PersonalTokens;
	readonly #admissions: Pick<Admissions, "admit">;
	readonly #refusals: Pick<RefusalNotes, "note"> | undefined;

	constructor({ identity, key, tokens, admissions, refusals }: AuthenticatorOptions) {
		this.#identity = identity;
		this.#key = key;
		this.#tokens = tokens;
		this.#admissions = admissions;
		this.#refusals = refusals;
	}

	/**
	 * Returns the principal of a request for this action; the anonymous one where the action is public.
	 * @throws {UnauthorizedError} when no credential is valid.
	 * @throws {ForbiddenError} when the action is not for this kind of principal, and for people who are not admitted.
	 * @throws {UnavailableError} when nobody can say whether a token is still active, or a person a member.
	 */
	async authenticate(claim: Claim, action: AnyAction): Promise<Principal> {
		if (action.access === "public") return anonymous;
		const { connection, path } = claim;
		const principal = this.#admitted(await this.#find(claim), action, connection);
		const session = namedSession(path) ?? principal.id;
		if (principal.kind === "pod" && !mayUseSession(principal, "see", { session })) throw notFound;
		return principal;
	}

	#admitted(found: Principal | undefined, action: AnyAction, { remoteAddress: address = "" }: Ends): Principal {
		try {
			return admit(found, action);
		} catch (error) {
			if (found && error instanceof ForbiddenError)
				this.#refusals?.note({ principal: found, action: action.name, reason: error.message, address });
			throw error;
		}
	}

	async #find({ headers, connection, received }: Claim): Promise<Principal | undefined> {
		const token = bearerToken(headers, connection);
		if (token?.startsWith("svcs_")) return this.#pod(token);
		if (token !== undefined && this.#tokens.claims(token)) return this.#tokens.authenticate(token);
		const found = await this.#identity.authenticate(headers, connection, received);
		return found?.kind === "claimed" ? this.#admissions.admit(found.person) : found;
	}

	/** Returns the principal of the pod that this token was made for; undefined for an invalid token. */
	#pod(token: string): Principal | undefined {
		const [, id = "", generation = ""] = podTokenForm.exec(token) ?? [];
		const right = Buffer.from(this.#key.podToken(id, Number(generation)));
		const given = Buffer.from(token);
		if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
		return { kind: "pod", id, generation: Number(generation), tenant: "", roles: [] };
	}
}

/**
 * Returns the session id in a path, by either of the contract's two names for it. Where a body names sessions instead,
 * the service finds only the pod's own one.
 */
function namedSession(path: PathParams): string | undefined {
	return path["session_id"] ?? path["chronicle_id"];
}
