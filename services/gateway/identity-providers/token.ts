/**
 * Identity for one person on a machine, or behind an address, that others can reach too: a caller with the token is the
 * developer. It stands in `DATA_DIR/keys/api`, or in the argument `token` when gateways have data folders of their own. A
 * browser sends the token once, in the URL printed at the start, and a cookie afterwards.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { ConfigError } from "#shared/config/config.ts";
import { openApiToken } from "#shared/config/api-token.ts";
import type { Principal } from "#shared/base/principal.ts";
import { bearerToken } from "../callers/bearer-token.ts";
import type { Ends } from "../http/connection-rows.ts";
import type { BrowserLogin, IdentityProvider } from "../callers/identity-provider.ts";
import { theDeveloper } from "../callers/the-developer.ts";

/** The form of a token that nobody guesses, and that fits in a cookie and a URL. */
const tokenForm = /^[\w~.-]{32,200}$/;

/** The identity adapter with one token. */
export class TokenIdentity implements IdentityProvider {
	static readonly kwargs = ["token"];
	static readonly trustsCallers = true;
	static readonly storesToken = true;
	static readonly configuresPeople = true;
	readonly loopbackOnly = false;
	readonly #dataDir: string;
	#opened: Login | undefined;

	/**
	 * @param kwargs.token The token; absent: the one in the data folder, which the platform supplies as `dataDir`.
	 * @throws {ConfigError} for a token that is too short, or has other characters than a URL takes.
	 */
	constructor({ dataDir, token }: { dataDir: string; token?: unknown }) {
		this.#dataDir = dataDir;
		if (token === undefined) return;
		if (typeof token !== "string" || !tokenForm.test(token)) {
			throw new ConfigError(
				'Configuration key "identity.kwargs.token" has to have 32 to 200 letters, digits or characters of "-_.~"',
			);
		}
		this.#opened = new Login(token);
	}

	/** The login with the token. @throws {StartError} when the token cannot be read or created. */
	get browserLogin(): BrowserLogin {
		return this.#login;
	}

	async authenticate(headers: IncomingHttpHeaders, connection: Ends): Promise<Principal | undefined> {
		const login = this.#login;
		const shown = bearerToken(headers, connection) ?? login.cookieIn(headers);
		return shown !== undefined && login.isToken(shown) ? theDeveloper : undefined;
	}

	get #login(): Login {
		return (this.#opened ??= new Login(openApiToken(this.#dataDir)));
	}
}

class Login implements BrowserLogin {
	readonly token: string;
	readonly #bytes: Buffer;
	/**
	 * The name of the cookie. Browsers store cookies by host, not by port, so platforms on one machine need different
	 * names.
	 */
	readonly #cookie: string;

	constructor(token: string) {
		this.token = token;
		this.#bytes = Buffer.from(token);
		this.#cookie = `atelier_${createHash("sha256").update(token).digest("hex").slice(0, 8)}=`;
	}

	isToken(text: string): boolean {
		const shown = Buffer.from(text);
		return shown.length === this.#bytes.length && timingSafeEqual(shown, this.#bytes);
	}

	cookieFor(text: string): string | undefined {
		return this.isToken(text) ? `${this.#cookie}${this.token}; Path=/; HttpOnly; SameSite=Strict` : undefined;
	}

	/** Returns the valid cookie, even when servers on other ports have set others with its name. */
	cookieIn({ cookie = "" }: IncomingHttpHeaders): string | undefined {
		const pairs = cookie.split(";").map((pair) => pair.trim());
		const values = pairs.filter((pair) => pair.startsWith(this.#cookie)).map((pair) => pair.slice(this.#cookie.length));
		return values.find((value) => this.isToken(value));
	}
}
