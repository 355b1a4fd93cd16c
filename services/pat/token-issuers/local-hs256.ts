/** Issues tokens that the platform signs itself. They are accepted by the identity `dev` only. */
import { now } from "#shared/base/clock.ts";
import { LocalTokens } from "#shared/base/tokens/local-tokens.ts";
import type { TokenIssuer, TokenRequest } from "../issue/token-issuer.ts";

/** The issuer for development. */
export class LocalHs256 implements TokenIssuer {
	static readonly isLocal = true;
	readonly #tokens: LocalTokens;

	/** @param kwargs.localTokenKey The key, which the platform supplies. */
	constructor({ localTokenKey }: { localTokenKey: Buffer }) {
		this.#tokens = new LocalTokens(localTokenKey);
	}

	async issue({ principal, id, name, lifetimeSeconds }: TokenRequest): Promise<string> {
		const iat = Math.floor(now() / 1_000);
		return this.#tokens.sign({ sub: principal.id, type: "pat", jti: id, name, iat, exp: iat + lifetimeSeconds });
	}
}
