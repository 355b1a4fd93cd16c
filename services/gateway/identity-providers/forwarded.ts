/**
 * Identity behind a proxy that has authenticated the caller and says in headers who it is. Each request shows a secret that
 * only the proxy and the platform know; without one, anybody who reaches the gateway could be anybody.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { ConfigError } from "#shared/config/config.ts";
import type { IdentifiedPerson } from "#shared/contracts/identity/admissions.ts";
import { ForbiddenError } from "#shared/base/errors.ts";
import { checkedOptions, typedNames } from "../callers/adapter-options.ts";
import type { Ends } from "../http/connection-rows.ts";
import type { ClaimedPerson, IdentityProvider } from "../callers/identity-provider.ts";
import type { NoteRefusal } from "../refused-logins.ts";
import { personId, personIdOptions } from "./person-id.ts";
import { mappedRoles, roleOptions, rolesOfSilence } from "../callers/role-mapping.ts";

/** The headers are named below a prefix that the gateway removes from every request after authentication. */
const header = { type: "string", pattern: "^x-auth-[a-z0-9-]+$", max: 100 } as const;

const options = schema({
	secret: { type: "string", min: 32, max: 500, optional: true },
	secret_header: { ...header, default: "x-auth-secret" },
	user_header: { ...header, default: "x-auth-user-id" },
	email_header: { ...header, default: "x-auth-email" },
	name_header: { ...header, default: "x-auth-name" },
	tenant_header: { ...header, default: "x-auth-tenant" },
	/** Whether the proxy names tenants: it has to be said, because a request without a tenant does not say it. */
	names_tenants: { type: "boolean", optional: true },
	roles_header: { ...header, default: "x-auth-roles" },
	/** The form of the roles' header: names with commas between them, or a JSON list of names in base64. */
	roles_form: { type: "enum", values: ["names", "base64-json"], default: "names" },
	/** How long the headers of a request hold for a stream or a chat that it opened; the client then comes with new ones. */
	claims_last_seconds: { type: "number", integer: true, min: 10, max: 86_400, default: 300 },
	/** The OpenID issuer that clients log in at, for `/auth/config`. */
	issuer: { type: "string", min: 1, max: 500, optional: true },
	...personIdOptions,
	...roleOptions,
});

export class ForwardedIdentity implements IdentityProvider {
	static readonly kwargs = Object.keys(options);
	static readonly typedKwargs = typedNames(options);
	static readonly trustsCallers = false;
	readonly loopbackOnly = false;
	readonly claimsLastMs: number;
	readonly #options: Output<typeof options>;
	readonly #secret: Buffer;
	readonly #refused: NoteRefusal;

	/** @throws {ConfigError} without a secret of at least 32 characters, and when it is not said whether the proxy names tenants. */
	constructor(kwargs: Readonly<Record<string, unknown>> & { readonly refused?: NoteRefusal }) {
		this.#refused = kwargs.refused ?? (() => {});
		this.#options = checkedOptions(options, kwargs);
		const { secret, claims_last_seconds, names_tenants } = this.#options;
		this.claimsLastMs = claims_last_seconds * 1_000;
		if (secret === undefined)
			throw new ConfigError(
				`Configuration key "identity.secret_kwargs_env.secret" must name the variable with the secret of the proxy (at least 32 characters): without it, every caller could name itself`,
			);
		if (names_tenants === undefined)
			throw new ConfigError(
				`Configuration key "identity.kwargs.names_tenants" must say whether the proxy names tenants: true: people without the header "${this.#options.tenant_header}" have none; false: nobody has one by the proxy (docs/identity.md)`,
			);
		this.#secret = digest(secret);
	}

	async authenticate(
		headers: IncomingHttpHeaders,
		_connection?: Ends,
		received: readonly string[] = [],
	): Promise<ClaimedPerson | undefined> {
		const { secret_header, user_header, tenant_header, roles_header } = this.#options;
		const shown = headers[secret_header];
		if (typeof shown !== "string")
			return this.#refuse(
				"no-secret",
				`The header "${secret_header}" is missing: the request did not come from the proxy`,
			);
		if (!timingSafeEqual(digest(shown), this.#secret))
			return this.#refuse("secret", `The header "${secret_header}" has another secret than the platform`);
		// A list may have commas, so two headers are told from one by how they arrived.
		if (isRepeated(received, roles_header))
			return this.#refuse(
				"roles",
				`The header "${roles_header}" arrived twice: the proxy has to replace that of callers`,
			);
		if (!this.#options.names_tenants && headers[tenant_header] !== undefined) throw tenantNamed(tenant_header);
		const tenant = valueIn(headers, tenant_header, 100);
		const id = personId(valueIn(headers, user_header, 255), tenant, this.#options);
		if (tenant === undefined && headers[tenant_header] !== undefined)
			return this.#refuse("tenant", unusable(tenant_header));
		if (id === undefined) return this.#refuse("user", unusable(user_header));
		const person = { id, ...this.#wordsAbout(headers), ...this.#tenantOf(tenant), ...this.#rolesIn(headers) };
		return { kind: "claimed", person };
	}

	#refuse(reason: string, sentence: string): undefined {
		this.#refused(reason, sentence);
	}

	#wordsAbout(headers: IncomingHttpHeaders): Pick<IdentifiedPerson, "email" | "name"> {
		const email = valueIn(headers, this.#options.email_header, 320);
		const name = valueIn(headers, this.#options.name_header, 255);
		return { ...(email !== undefined && { email }), ...(name !== undefined && { name }) };
	}

	#tenantOf(tenant: string | undefined): Pick<IdentifiedPerson, "tenant"> {
		if (tenant !== undefined) return { tenant };
		return this.#options.names_tenants ? { tenant: null } : {};
	}

	/** Reads names in the configured form; a value of another form names none. */
	#roleNames(value: string): string[] {
		if (this.#options.roles_form === "names") return value.split(",").map((one) => one.trim());
		try {
			const list: unknown = JSON.parse(Buffer.from(value, "base64").toString());
			return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
		} catch {
			return [];
		}
	}

	#rolesIn(headers: IncomingHttpHeaders): Pick<IdentifiedPerson, "roles"> {
		const value = headers[this.#options.roles_header];
		if (value === undefined) return rolesOfSilence(this.#options);
		return { roles: mappedRoles(this.#roleNames(String(value)), this.#options) };
	}
}

/**
 * Returns a value as the proxy sent it, in UTF-8; undefined for none and for one that could be two: a proxy that adds its
 * header to that of a caller makes a list of both.
 */
function valueIn(headers: IncomingHttpHeaders, name: string, maxLength: number): string | undefined {
	const raw = headers[name];
	if (typeof raw !== "string" || raw === "" || raw.includes(",")) return undefined;
	const value = Buffer.from(raw, "latin1").toString();
	return value.length <= maxLength && !/[\p{Cc}\uFFFD]/u.test(value) ? value : undefined;
}

/** Whether a header arrived twice: then one may be of the caller, beside that of the proxy. */
function isRepeated(received: readonly string[], name: string): boolean {
	return received.filter((one, i) => i % 2 === 0 && one.toLowerCase() === name).length > 1;
}

function unusable(header: string): string {
	return `The header "${header}" is missing, empty or too long, or has a comma or a control character`;
}

function tenantNamed(header: string): ForbiddenError {
	return new ForbiddenError(
		`The request has the header "${header}", and the proxy names no tenants here (identity.kwargs.names_tenants)`,
		"TENANT_NAMED",
	);
}

function digest(text: string): Buffer {
	return createHash("sha256").update(text).digest();
}
