/** The identity of test platforms with a bus, which refuse the identity `dev`: one token, known to the test's clients. */
import { openApiToken } from "#shared/config/api-token.ts";

const tokenIdentity = "services/gateway/identity-providers/token.ts#TokenIdentity";

/** The login at a platform. */
export interface BusLogin {
	/** The variables of each of its processes. */
	readonly env: Readonly<Record<string, string>>;
	/** The token; undefined when the platform needs none, or has an identity that its test chose. */
	readonly token?: string;
	/** The headers of its clients. */
	readonly headers: Readonly<Record<string, string>>;
}

/** The part of a test platform's options that decides on its identity. */
interface IdentityChoice {
	readonly config?: Readonly<Record<string, unknown>>;
	readonly env?: Readonly<Record<string, string>>;
}

/** Returns the login at a platform with these options; its token is stored in the data folder, which must exist. */
export function busLogin({ config = {}, env = {} }: IdentityChoice, dataDir: string): BusLogin {
	const hasChosen = config["identity"] !== undefined || env["IDENTITY__ADAPTER"] !== undefined;
	if (hasChosen || (env["BUS__URL"] === undefined && config["bus"] === undefined)) return { env: {}, headers: {} };
	const token = openApiToken(dataDir);
	return { env: { IDENTITY__ADAPTER: tokenIdentity }, token, headers: { authorization: `Bearer ${token}` } };
}
