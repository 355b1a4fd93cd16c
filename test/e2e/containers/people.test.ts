/**
 * Several people whose sessions run in containers, and who log in at a provider: the proof of access, and two people of a real Keycloak
 * who work. Nothing in the configuration says that they trust each other's code.
 * Night: it starts a Docker engine and Keycloak, and builds the image of sessions.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { rows } from "../../../cli/doctor/rows.ts";
import { loggedInConfig, loggedInPeople, openLogins } from "../../support/access/logged-in-people.ts";
import { provenAliases, provePlatform } from "../../support/access/proven-platform.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { ContainedPlatform, containersAdapter } from "../../support/containers/contained-platform.ts";
import { sessionImage } from "../../support/containers/session-image.ts";
import type { ExchangingProvider } from "../../support/identity/exchanging-provider.ts";
import { KeycloakServer } from "../../support/identity/keycloak-server.ts";
import { ask, runningSession } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

describe("people whose sessions run in containers", function () {
	this.timeout(600_000);
	const all = new AsyncDisposableStack();
	let logins: ExchangingProvider;
	let world: ContainedPlatform;

	before(async () => {
		logins = all.use(await openLogins());
		const gateway = { aliases: provenAliases };
		const config = { ...loggedInConfig(logins), gateway, stream: { heartbeat_seconds: 300 } };
		world = all.use(await ContainedPlatform.start({ config }));
	});
	after(() => all.disposeAsync());

	it("reach nothing that is not theirs by any route", async () => {
		const people = await loggedInPeople(logins);
		const proof = await provePlatform(world.platform, Object.keys(rows), people);
		const { cells, holes, leftOut, outcomes } = proof;
		if (holes.length > 0) throw new Error(`${holes.length} holes:\n${holes.join("\n")}`);
		console.log(`      ${cells} cells by ${proof.requests} requests: ${JSON.stringify(outcomes)}`);
		expect(leftOut).to.deep.equal([]);
		expect(cells).to.be.above(5_000);
	});

	it("log in at Keycloak and work, each as the owner of a session that the other does not see", async () => {
		await using own = new AsyncDisposableStack();
		const keycloak = own.use(await KeycloakServer.start());
		const identity = {
			adapter: "services/gateway/identity-providers/oidc.ts#OidcIdentity",
			kwargs: {
				issuer: keycloak.issuer,
				audience: "atelier",
				role_claim: "realm_access.roles",
				role_mapping: { "atelier-admin": "developer", "atelier-member": "developer" },
			},
		};
		const runtime = { adapter: containersAdapter, kwargs: { socket: world.engine.socket, image: sessionImage } };
		const config = { identity, pods: { runtime }, tenants: { home: "team" } };
		const platform = own.use(await startPlatform({ config }));
		const loggedIn = async (name: string): Promise<ApiClient> => {
			const { access_token = "" } = await keycloak.login(name);
			return platform.client({ authorization: `Bearer ${access_token}` });
		};
		const [ada, bob] = [await loggedIn("ada"), await loggedIn("bob")];
		const [hers, his] = [await runningSession(ada), await runningSession(bob)];
		expect(await ask(ada, hers.id, "$ echo hers > note && id -u")).to.equal("231001\n");
		expect(await ask(bob, his.id, "$ cat note 2>&1; ls /session")).to.include("No such file");
		for (const [client, foreign] of [
			[ada, his.id],
			[bob, hers.id],
		] as const)
			expect((await client.get(`/sessions/${foreign}`)).status).to.equal(404);
		for (const [client, { id }] of [
			[ada, hers],
			[bob, his],
		] as const)
			expect((await client.delete(`/sessions/${id}`)).status).to.equal(204);
	});
});
