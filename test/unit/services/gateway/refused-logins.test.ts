import { expect } from "chai";
import { ForwardedIdentity } from "#services/gateway/identity-providers/forwarded.ts";
import { OidcIdentity } from "#services/gateway/identity-providers/oidc.ts";
import { RefusedLogins } from "#services/gateway/refused-logins.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";

const secret = "s".repeat(32);
const issuer = "https://login.example/realm";
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("refused logins", () => {
	let metrics: Metrics;
	let lines: string[];
	let refused: RefusedLogins["note"];

	beforeEach(() => {
		metrics = new Metrics();
		lines = [];
		refused = new RefusedLogins(metrics, {
			error: (sentence, cause) => void lines.push(`${sentence} ${String(cause)}`),
		}).note;
	});

	/** Shows a token with these claims. */
	async function show(claims: Record<string, unknown>): Promise<unknown> {
		const identity = new OidcIdentity({ issuer, audience: "atelier", refused });
		const token = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}.${part("x")}`;
		return identity.authenticate({ authorization: `Bearer ${token}` }, {} as never);
	}

	it("have a line for each reason, and a counter, and the client learns nothing", async () => {
		const now = Math.floor(Date.now() / 1_000);
		const whole = { iss: issuer, aud: "atelier", sub: "ada", iat: now, exp: now + 60 };
		for (const _ of [1, 2]) expect(await show({ ...whole, aud: "other" })).to.equal(undefined);
		await show({ ...whole, iss: "https://other.example" });
		await show({ ...whole, iat: now - 600, exp: now - 500 });
		await show(whole);
		expect(lines).to.have.length(4);
		expect(lines[0]).to.include('its audience is "other", not "atelier"');
		expect(lines[1]).to.include('its issuer is "https://other.example", not "https://login.example/realm"');
		expect(lines[2]).to.include("it has expired");
		expect(lines[3]).to.include("it is no access token");
		expect(await exposition(metrics)).to.include('atelier_logins_refused_total{reason="audience"} 2\n');
	});

	it("name the header of the proxy that is wrong, and no secret", async () => {
		const identity = new ForwardedIdentity({ secret, names_tenants: true, refused });
		const shown = { "x-auth-secret": secret, "x-auth-user-id": "ada" };
		const wrong: Record<string, string>[] = [
			{},
			{ ...shown, "x-auth-secret": "another-secret" },
			{ ...shown, "x-auth-tenant": "a,b" },
			{ ...shown, "x-auth-user-id": "" },
		];
		for (const headers of wrong) expect(await identity.authenticate(headers)).to.equal(undefined);
		await identity.authenticate(shown, undefined, ["X-Auth-Roles", "a", "x-auth-roles", "b"]);
		const named = ["x-auth-secret", "x-auth-secret", "x-auth-tenant", "x-auth-user-id", "x-auth-roles"];
		expect(lines).to.have.length(named.length);
		for (const [index, name] of named.entries()) expect(lines[index]).to.include(`"${name}"`);
		expect(lines.join()).to.not.include("another-secret").and.to.not.include(secret);
	});
});
