import { expect } from "chai";
import { DevIdentity } from "#services/gateway/identity-providers/dev.ts";
import { TokenIdentity } from "#services/gateway/identity-providers/token.ts";
import { ConfigError, loadConfig } from "#shared/config/config.ts";
import type { IdentityProviderClass } from "#services/gateway/callers/identity-provider.ts";
import { refuseIdentityOfOneProcess, trustsCallers } from "#host/trusts-callers.ts";
import { failureOf } from "../../support/failure-of.ts";

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

describe("refuseIdentityOfOneProcess()", () => {
	const withBus = { BUS__URL: "nats://127.0.0.1:4222" };
	const token = "services/gateway/identity-providers/token.ts#TokenIdentity";

	it("refuses the default identity with a bus, and says what to use", async () => {
		const failure = await failureOf<Error>(refuseIdentityOfOneProcess(loadConfig(withBus)));
		expect(failure).to.be.instanceOf(ConfigError);
		expect(failure.message).to.include("dev.ts#DevIdentity").and.to.include(token).and.to.include("bus.url");
	});

	it("accepts it without a bus, and others with one", async () => {
		await refuseIdentityOfOneProcess(loadConfig({}));
		for (const adapter of [token, "services/gateway/identity-providers/oidc.ts#OidcIdentity"])
			await refuseIdentityOfOneProcess(loadConfig({ ...withBus, IDENTITY__ADAPTER: adapter }));
	});
});
