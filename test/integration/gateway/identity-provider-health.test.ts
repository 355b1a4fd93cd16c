/** The shortcoming at `/health` of a gateway whose identity provider does not answer. */
import { expect } from "chai";
import { turnClock } from "#shared/base/clock.ts";
import { tenants } from "#shared/contracts/identity/tenants.ts";
import { KeyServer } from "../../support/identity/key-server.ts";
import { signed, signingKey } from "../../support/identity/signing-keys.ts";
import { startGateway } from "../../support/platform/start-gateway.ts";

describe("an identity provider that does not answer", () => {
	it("is a shortcoming in /health until its keys are read again, and the gateway stays healthy", async () => {
		const key = await signingKey("ES256");
		await using server = await KeyServer.listen([key.jwk]);
		const identity = {
			adapter: "services/gateway/identity-providers/oidc.ts#OidcIdentity",
			kwargs: { issuer: server.issuer, audience: "atelier" },
		};
		const gateway = await startGateway({ contracts: [tenants], services: [], identity });
		let laterMs = 0;
		const now = Date.now();
		const restore = turnClock({ now: () => now + laterMs, monotonic: () => performance.now() + laterMs });
		try {
			const seconds = Math.floor(now / 1_000);
			const claims = { iss: server.issuer, aud: "atelier", sub: "ada", iat: seconds, exp: seconds + 600 };
			const token = await signed(key, claims);
			const base = `http://127.0.0.1:${gateway.port}`;
			const afterLogin = async (): Promise<{ status: string; shortcomings?: string[] }> => {
				await fetch(`${base}/api/v1/svc/tenants/acme`, { headers: { authorization: `Bearer ${token}` } });
				return (await fetch(`${base}/health`)).json() as Promise<{ status: string; shortcomings?: string[] }>;
			};
			server.odd = { status: 500 };
			const away = await afterLogin();
			expect(away.status).to.equal("healthy");
			expect(away.shortcomings).to.have.length(1);
			expect(away.shortcomings?.[0]).to.include(`The keys of the identity provider "${server.issuer}" cannot be read`);
			server.odd = undefined;
			laterMs = 11_000;
			expect(await afterLogin()).to.deep.equal({ status: "healthy" });
		} finally {
			restore();
			await gateway.stop();
		}
	});
});
