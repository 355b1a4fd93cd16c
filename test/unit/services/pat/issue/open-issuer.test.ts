import { expect } from "chai";
import { openIssuer } from "#services/pat/issue/open-issuer.ts";
import { ConfigError, loadConfig } from "#shared/config/config.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const local = "services/pat/token-issuers/local-hs256.ts#LocalHs256";
const oidc = "services/gateway/identity-providers/oidc.ts#OidcIdentity";

describe("openIssuer()", () => {
	const key = Buffer.alloc(32, 1);

	it("signs tokens itself with the identity `dev`, and issues none with another identity", async () => {
		expect(await openIssuer(loadConfig({}), key)).to.include({ clientId: undefined });
		expect(await openIssuer(loadConfig({ IDENTITY__ADAPTER: oidc }), key)).to.equal(undefined);
	});

	it("refuses an issuer that signs locally where the gateway does not accept its tokens", async () => {
		for (const identity of [oidc, "services/gateway/identity-providers/forwarded.ts#ForwardedIdentity"]) {
			const config = loadConfig({ IDENTITY__ADAPTER: identity, PAT__TOKEN_ISSUER_ADAPTER: local });
			const failure = await failureOf<Error>(openIssuer(config, key));
			expect(failure, identity).to.be.instanceOf(ConfigError);
			expect(failure.message).to.include("does not accept tokens that the platform signs itself");
		}
	});
});
