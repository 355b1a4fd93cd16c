/** Who sends a request. People and their tools are known by the configured identity provider, session pods by their key. */
import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { AnyAction } from "#shared/bus/contract.ts";
import { anonymous, type Principal } from "#shared/bus/principal.ts";
import { admit } from "#shared/bus/service.ts";
import type { InstallationKey } from "#shared/secrets/keys.ts";
import { bearerToken } from "./bearer-token.ts";
import type { Ends } from "../http/connection-rows.ts";
import { notFound } from "../http/http-errors.ts";
import type { IdentityProvider } from "./identity-provider.ts";

const podTokenForm = /^svcs_([0-9a-f-]{36})_(\d{1,9})_[\w-]{43}$/;

/** The parameters a request names in its path. */
export type PathParams = Readonly<Record<string, string | undefined>>;

/** What a request says, in words or by where it comes from, about who sends it and whom it is about. */
export interface Claim {
	readonly headers: IncomingHttpHeaders;
	readonly connection: Ends;
	readonly path: PathParams;
}

export class Authenticator {
	readonly #identity: IdentityProvider;
	readonly #key: InstallationKey;

	constructor(identity: IdentityProvider, key: InstallationKey) {
		this.#identity = identity;
		this.#key = key;
	}

	/**
	 * The principal of a request for this action; anonymous where the action is for everybody.
	 * @throws {UnauthorizedError} when there is none to be believed.
	 * @throws {ForbiddenError} when the action is not for that kind of principal.
	 */
	async authenticate({ headers, connection, path }: Claim, action: AnyAction): Promise<Principal> {
		const access = action.access ?? "user";
		if (access === "public") return anonymous;
		const token = bearerToken(headers);
		const found = token?.startsWith("svcs_")
			? this.#pod(token)
			: await this.#identity.authenticate(headers, connection);
		const principal = admit(found, access);
		if (principal.kind === "pod" && (namedSession(path) ?? principal.id) !== principal.id) throw notFound;
		return principal;
	}

	/** The pod whose key made this token. */
	#pod(token: string): Principal | undefined {
		const [, id = "", generation = ""] = podTokenForm.exec(token) ?? [];
		const right = Buffer.from(this.#key.podToken(id, Number(generation)));
		const given = Buffer.from(token);
		if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
		return { kind: "pod", id, generation: Number(generation), tenant: "", roles: [] };
	}
}

/**
 * The session that a path names, by either name the contract has for it. Where a body names sessions instead, their
 * repository knows a pod's own one only.
 */
function namedSession(path: PathParams): string | undefined {
	return path["session_id"] ?? path["chronicle_id"];
}
