/**
 * The first operator of an installation whose provider names tenants, by the steps of docs/identity.md.
 * Long: it starts a platform three times.
 */
import { expect } from "chai";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { openApiToken } from "#shared/config/api-token.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const secret = "s".repeat(32);
const [, section = ""] = readFileSync(join(projectRoot, "docs/identity.md"), "utf8").split("## The first operator");
const providers = "services/gateway/identity-providers";

describe("the first operator", function () {
	this.timeout(120_000);
	let dataDir: string;

	beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), "atelier-operator-"))));
	afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

	const withToken = () =>
		startPlatform({ dataDir, env: { IDENTITY__ADAPTER: `${providers}/token.ts#TokenIdentity` }, readyAt: "/ready" });
	const withProxy = () =>
		startPlatform({
			dataDir,
			env: {
				IDENTITY__ADAPTER: `${providers}/forwarded.ts#ForwardedIdentity`,
				IDENTITY__KWARGS__SECRET: secret,
				IDENTITY__KWARGS__NAMES_TENANTS: "true",
				PODS__PEOPLE_SHARE_A_MACHINE: "they-trust-each-others-code",
			},
		});

	async function ask(platform: TestPlatform, headers: Record<string, string>, path: string, body?: object) {
		const response = await fetch(`${platform.url}/api/v1/svc${path}`, {
			headers: { ...headers, "content-type": "application/json" },
			...(body && { method: "POST", body: JSON.stringify(body) }),
		});
		return { status: response.status, text: await response.text() };
	}

	it("is added with the identity `token` by the page's own command, and is one afterwards at the provider", async () => {
		const op = { "x-auth-secret": secret, "x-auth-user-id": "op-subject" };
		{
			await using before = await withProxy();
			expect((await ask(before, op, "/me")).status, "nobody is an operator yet").to.equal(403);
		}
		const [, path = "", body = ""] = /\$API(\/tenants\/default\/members)[^\n]* -d '(\{[^\n]*\})'/.exec(section) ?? [];
		const member = body.replace("<user id>", "op-subject");
		{
			await using once = await withToken();
			const token = { authorization: `Bearer ${openApiToken(dataDir)}` };
			expect(await ask(once, token, path, JSON.parse(member))).to.include({ status: 201 });
		}
		await using after = await withProxy();
		expect((await ask(after, op, "/tenants", { name: "Acme", tenant_id: "acme" })).status).to.equal(201);
		const named = { ...op, "x-auth-tenant": "acme" };
		expect(
			(await ask(after, { ...named, "atelier-tenant": "default" }, "/users")).status,
			"also from a tenant",
		).to.equal(200);
	});
});
