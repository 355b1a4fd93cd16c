import { expect } from "chai";
import { DevIdentity } from "#services/gateway/identity-providers/dev.ts";
import { TokenIdentity } from "#services/gateway/identity-providers/token.ts";
import type { IdentityProviderClass } from "#services/gateway/callers/identity-provider.ts";
import { trustsCallers } from "#services/trusts-callers.ts";

const shipped: Record<string, IdentityProviderClass> = {
	"services/gateway/identity-providers/dev.ts#DevIdentity": DevIdentity,
	"services/gateway/identity-providers/token.ts#TokenIdentity": TokenIdentity,
};

function trusted(adapter: string): Promise<boolean> {
	return trustsCallers({ identity: { adapter, kwargs: {}, secret_kwargs_env: {} } });
}

describe("trustsCallers()", () => {
	it("is what the class of the identity says", async () => {
		for (const [adapter, identity] of Object.entries(shipped)) {
			expect(await trusted(adapter), adapter)
				.to.equal(identity.trustsCallers)
				.and.to.equal(true);
		}
	});

	it("is false for an identity that says nothing of it, whatever its name ends with", async () => {
		expect(await trusted("test/support/platform/silent-identity.ts#SilentDevIdentity")).to.equal(false);
	});
});
