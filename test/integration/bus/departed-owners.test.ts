/** Secrets over the bus: the sessions and connections of people who are no members any more get none. */
import { expect } from "chai";
import { MemoryCredentials } from "#services/credentials/credential-stores/memory.ts";
import { LaunchSecrets } from "#services/credentials/injection/launch-secrets.ts";
import { injectionService } from "#services/credentials/injection.service.ts";
import { FileInjection } from "#services/credentials/secret-injections/file.ts";
import { personOf } from "#services/credentials/store/credential-owner.ts";
import { systemPrincipal } from "#shared/base/principal.ts";
import { call, implement } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { injection } from "#shared/contracts/credentials/injection.ts";
import { admissions } from "#shared/contracts/identity/admissions.ts";
import type { ServiceError } from "#shared/base/errors.ts";
import { failureOf } from "../../support/failure-of.ts";
import { type Nodes, startNodes } from "../../support/bus/test-brokers.ts";

describe("the secrets of departed owners", () => {
	let nodes: Nodes;
	let isAway: boolean;

	beforeEach(async () => {
		isAway = false;
		const store = new MemoryCredentials();
		for (const id of ["ada", "bob"])
			await store.put(personOf({ tenant: "acme", id }), {
				name: "key",
				secret_type: "generic",
				data: { t: id },
				metadata: {},
			});
		const secrets = new LaunchSecrets(store, new FileInjection({ store, protocols: ["https"] }));
		const never = async () => {
			throw new Error("not asked here");
		};
		const identity = {
			name: admissions.name,
			actions: implement(admissions, {
				admit: never,
				standing: never,
				async departed({ people }) {
					if (isAway) throw new Error("away");
					return people.filter(({ user_id }) => user_id === "bob");
				},
			}),
		};
		nodes = await startNodes(2, [injectionService(secrets), identity]);
	});
	afterEach(() => nodes.stop());

	const options = { meta: { principal: vouch(systemPrincipal("pod-manager")) } };
	const prepare = (owner: string) =>
		call(
			nodes.near,
			injection.actions.prepare,
			{ tenant: "acme", owner, session_id: "s", credential_names: ["key"], tenant_credentials: [], mappings: [] },
			options,
		);
	const values = (owner: string) =>
		call(nodes.near, injection.actions.values, { tenant: "acme", owner, names: ["key"] }, options);

	it("are given to nobody, and those of members are", async () => {
		expect((await prepare("ada")).variables).to.deep.equal({ KEY: "ada" });
		expect((await failureOf<ServiceError>(prepare("bob"))).type).to.equal("OWNER_GONE");
		expect([(await values("ada")).length, (await values("bob")).length]).to.deep.equal([1, 0]);
	});

	it("are given to nobody while nobody can tell", async () => {
		isAway = true;
		await failureOf(prepare("ada"));
		await failureOf(values("ada"));
	});
});
