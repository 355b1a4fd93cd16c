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
	it("is the value of the identity's class", async () => {
		for (const [adapter, identity] of Object.entries(shipped)) {
			expect(await trusted(adapter), adapter)
				.to.equal(identity.trustsCallers)
				.and.to.equal(true);
		}
	});

	it("is false for an identity without the property, with any name", async () => {
		expect(await trusted("test/support/platform/silent-identity.ts#SilentDevIdentity")).to.equal(false);
	});
});
