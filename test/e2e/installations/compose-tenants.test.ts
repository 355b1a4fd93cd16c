/**
 * docker-compose.yml with an engine for sessions and an OpenID provider of one's own, a real Keycloak, as docs/one-server.md says: two
 * people of two tenants log in and work.
 * Night: it builds images, starts ten containers and Keycloak, as root.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually } from "../../support/eventually.ts";
import { KeycloakServer } from "../../support/identity/keycloak-server.ts";
import { type Caller, ComposeEngineProject } from "../../support/installations/compose-engine-project.ts";

/** The people of the realm of tests have no organizations; their first names, A and B, stand for them. */
const tenantClaim = "given_name";

/** Returns the lines that the page gives for two tenants, with this provider. */
function linesOfPage(issuer: string): string[] {
	const page = readFileSync(join(projectRoot, "docs/one-server.md"), "utf8");
	const [, block = ""] = /### Two tenants\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(page) ?? [];
	return block
		.trim()
		.split("\n")
		.map((line) => line.replace(/^(IDENTITY__KWARGS__ISSUER)=.*/, `$1=${issuer}`))
		.map((line) => line.replace(/(?<=^IDENTITY__KWARGS__TENANT_CLAIM=)organization$/, tenantClaim));
}

/** Returns the keys of a provider as an address that needs no server: the containers do not reach the loopback of this test. */
async function keySetOf(issuer: string): Promise<string> {
	const keys = await (await fetch(`${issuer}/protocol/openid-connect/certs`)).text();
	return `data:application/json;base64,${Buffer.from(keys).toString("base64")}`;
}

describe("docker-compose up, with two tenants of a provider of one's own", function () {
	this.timeout(900_000);
	const all = new AsyncDisposableStack();
	let project: ComposeEngineProject;
	let ada: Caller;
	let bob: Caller;

	before(async () => {
		const keycloak = all.use(await KeycloakServer.start());
		const lines = [...linesOfPage(keycloak.issuer), `IDENTITY__KWARGS__JWKS_URI=${await keySetOf(keycloak.issuer)}`];
		const withoutLogin = (text: string) => text.replaceAll(/^IDENTITY__KWARGS__(ISSUER|JWKS_URI)=.*$/gm, "");
		project = all.use(await ComposeEngineProject.prepared((text) => `${withoutLogin(text)}\n${lines.join("\n")}\n`));
		await project.up();
		const callerFor = async (name: string) => project.caller((await keycloak.login(name)).access_token ?? "");
		[ada, bob] = [await callerFor("ada"), await callerFor("bob")];
	});
	after(() => all.disposeAsync());

	it("takes each person into the tenant that the provider says", async () => {
		const tenants = [];
		for (const person of [ada, bob]) tenants.push((await person<{ tenant_id: string }>("/me")).tenant_id);
		expect(tenants).to.deep.equal(["A", "B"]);
	});

	it("runs a session of each in a container, which the other one does not see", async () => {
		const [hers, his] = [await project.runningSession(ada), await project.runningSession(bob)];
		for (const [by, id] of [
			[ada, hers],
			[bob, his],
		] as const) {
			await by(`/sessions/${id}/messages`, "-d", JSON.stringify({ content: `$ echo of ${id} > note; cat note` }));
			const hasAnswered = async () => JSON.stringify(await by(`/sessions/${id}/conversation`)).includes(`of ${id}\\n`);
			await eventually(hasAnswered, { withinMs: 60_000, everyMs: 500, what: "the session answers" });
		}
		const code = ["-o", "/dev/null", "-w", "%{http_code}"];
		for (const [by, own, foreign] of [
			[ada, hers, his],
			[bob, his, hers],
		] as const) {
			expect(await by<number>(`/sessions/${foreign}`, ...code)).to.equal(404);
			const listed = await by<readonly { id: string }[]>("/sessions");
			expect(listed.map(({ id }) => id)).to.deep.equal([own]);
			expect(await by<number>(`/sessions/${own}`, "-X", "DELETE", ...code)).to.equal(204);
		}
	});

	it("leaves no container of a session", async () => {
		const left = () => project.engine.run("docker", "ps", "-q", "--filter", "name=session-").trim() === "";
		await eventually(left, { withinMs: 60_000, everyMs: 500, what: "the containers are removed" });
	});
});
