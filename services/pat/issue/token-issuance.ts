/** Issues tokens to persons: checks the request, asks the issuer, stores what may be stored. */
import { administersTenant } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { Meta } from "#shared/bus/service.ts";
import { now } from "#shared/base/clock.ts";
import type { PersonalToken, TokenCreate } from "#shared/contracts/pat/tokens.ts";
import { ForbiddenError, UnavailableError } from "#shared/base/errors.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import type { TokenRecords } from "../record/token-records.ts";
import { readIssuedToken } from "./issued-token.ts";
import type { OpenIssuer } from "./open-issuer.ts";

const daySeconds = 86_400;

/** The answer to a request: the token and its text, which is never shown again. */
type ShownToken = Omit<PersonalToken, "last_used_at"> & { token: string };

export class TokenIssuance {
	readonly #records: Pick<TokenRecords, "refuseNew" | "add">;
	readonly #issuer: OpenIssuer | undefined;
	readonly #ttlDays: number;

	constructor(records: Pick<TokenRecords, "refuseNew" | "add">, issuer: OpenIssuer | undefined, ttlDays: number) {
		this.#records = records;
		this.#issuer = issuer;
		this.#ttlDays = ttlDays;
	}

	/**
	 * Issues a token. A repeated request is refused, because its token is stored nowhere and cannot be shown again.
	 * @throws {UnavailableError} without an issuer; {ForbiddenError} for an administrator's token of somebody else;
	 * {ConflictError} {UpstreamError} {UnprocessableError}
	 */
	async issue(
		principal: Principal,
		{ name, scope, expires_in_days }: TokenCreate,
		{ idempotency_key, subject_token }: Pick<Meta, "idempotency_key" | "subject_token">,
	): Promise<ShownToken> {
		if (!this.#issuer)
			throw new UnavailableError("This installation issues no tokens (pat.token_issuer_adapter)", "NO_TOKEN_ISSUER");
		if (scope === "admin" && !administersTenant(principal))
			throw new ForbiddenError("Only an administrator may have a token of scope `admin`");
		const { tenant, id: person } = principal;
		const id =
			idempotency_key === undefined ? timeBasedUuid(now()) : nameBasedUuid("pat", tenant, person, idempotency_key);
		await this.#records.refuseNew(principal, { id, name });
		const { issuer, clientId } = this.#issuer;
		const lifetimeSeconds = Math.min(expires_in_days ?? this.#ttlDays, this.#ttlDays) * daySeconds;
		const at = now();
		// Another id than that of the document: a key of a request may be used again when its token is revoked, and a
		// second token with the same `jti` would make the first one active again.
		const jti = timeBasedUuid(at);
		const text = await issuer.issue({ principal, id: jti, name, subjectToken: subject_token, lifetimeSeconds });
		const subjectToken = clientId === undefined ? undefined : subject_token;
		const { key, expiresAt } = readIssuedToken(text, { subjectToken, clientId, now: at });
		const end = Math.min(expiresAt, at + lifetimeSeconds * 1_000);
		const shown = await this.#records.add(principal, { id, name, scope, text, key, expiresAt: end });
		return { ...shown, token: text };
	}
}
