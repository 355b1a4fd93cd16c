/**
 * The proof of access against Atelier itself in a real cluster, as a team has it: people of two tenants log in at an OpenID provider whose
 * certificate is from an authority of their own, and sessions are pods.
 * Night: the programs of a cluster take 5 to 15 minutes to build, and the images of the platform minutes.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rows } from "../../../cli/doctor/rows.ts";
import { loggedInConfig, loggedInPeople, openLogins } from "../../support/access/logged-in-people.ts";
import { provenAliases, provePlatform } from "../../support/access/proven-platform.ts";
import { makeCertificate } from "../../support/bus/test-certificates.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import type { ExchangingProvider } from "../../support/identity/exchanging-provider.ts";
import { onOwnMachine } from "../../support/kubernetes/cluster/own-machine.ts";
import { TrialCluster } from "../../support/kubernetes/cluster/trial-cluster.ts";

onOwnMachine(import.meta.filename, 1_800_000, () => {
	describe("people whose platform runs in a cluster", function () {
		this.timeout(1_200_000);
		const all = new AsyncDisposableStack();
		let logins: ExchangingProvider;
		let trial: TrialCluster;

		before(async () => {
			const folder = mkdtempSync(join(tmpdir(), "atelier-authority-"));
			all.defer(() => rmSync(folder, { recursive: true }));
			trial = all.use(
				await TrialCluster.start(async ({ address: host }) => {
					const authority = makeCertificate(folder, "company");
					const certificate = makeCertificate(folder, "provider", authority, [host]);
					logins = all.use(await openLogins({ host, certificate }));
					const places = {
						host: "0.0.0.0",
						public_url: "http://gateway.atelier-system:8080",
						allowed_hosts: ["127.0.0.1"],
					};
					return {
						config: {
							...loggedInConfig(logins),
							gateway: { ...places, aliases: provenAliases },
							stream: { heartbeat_seconds: 300 },
						},
						env: { NODE_EXTRA_CA_CERTS: "/config/company.pem" },
						files: [authority.cert],
					};
				}),
			);
		});
		after(() => all.disposeAsync());

		it("reach nothing that is not theirs by any route", async () => {
			const people = await loggedInPeople(logins);
			const { url, installationKey } = trial;
			const client = (headers: Record<string, string> = {}) => new ApiClient(`${url}/api/v1/svc`, headers);
			const proof = await provePlatform({ url, client, installationKey }, Object.keys(rows), people);
			const { cells, holes, leftOut, outcomes } = proof;
			if (holes.length > 0) throw new Error(`${holes.length} holes:\n${holes.join("\n")}`);
			console.log(`      ${cells} cells by ${proof.requests} requests: ${JSON.stringify(outcomes)}`);
			expect(leftOut).to.deep.equal([]);
			expect(cells).to.be.above(5_000);
		});
	});
});
