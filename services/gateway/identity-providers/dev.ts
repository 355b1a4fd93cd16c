/**
 * Identity for one developer on their own machine: whoever reaches the loopback address is `dev-user`. Further people
 * (a shared laptop, a test with two of them) have tokens named in the configuration.
 */
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Principal } from "#shared/bus/principal.ts";
import { schema, type Output } from "#shared/bus/schema.ts";
import { compileSchema } from "#shared/bus/validator.ts";
import { ConfigError } from "#shared/config.ts";
import { bearerToken } from "../bearer-token.ts";
import type { IdentityProvider } from "../identity-provider.ts";

const text = { type: "string", min: 1, max: 200 } as const;

const options = schema({
	users: {
		type: "array",
		max: 100,
		items: {
			type: "object",
			props: {
				token: { ...text, pattern: "^(?!svcs_)[\\w.~+/-]+=*$" },
				id: text,
				tenant: { ...text, default: "default" },
				roles: { type: "array", max: 20, items: text, default: [] },
			},
		},
		default: [],
	},
});

const checkOptions = compileSchema(options);

const devUser: Principal = { kind: "user", id: "dev-user", tenant: "default", roles: ["admin", "developer"] };

export class DevIdentity implements IdentityProvider {
	readonly loopbackOnly = true;
	/** By digest, so that how long a look-up takes tells nothing about a token. */
	readonly #users = new Map<string, Principal>();

	/** @throws {ConfigError} when `kwargs` of the configuration do not fit. */
	constructor(kwargs: Partial<Output<typeof options>>) {
		const { users = [] } = kwargs;
		const [failure] = checkOptions({ users });
		if (failure) {
			throw new ConfigError(`Configuration key "identity.kwargs.${failure.path.join(".")}": ${failure.message}`);
		}
		for (const { token, id, tenant, roles } of users) {
			this.#users.set(digest(token), { kind: "user", id, tenant, roles });
		}
	}

	async authenticate(headers: IncomingHttpHeaders): Promise<Principal | undefined> {
		const token = bearerToken(headers);
		return token === undefined ? devUser : this.#users.get(digest(token));
	}
}

function digest(token: string): string {
	return createHash("sha256").update(token).digest("base64");
}
