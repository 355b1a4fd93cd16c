/**
 * Sessions of people who are no members any more: those that run are stopped, those that wait never start, and no secret
 * reaches them.
 */
import { expect } from "chai";
import { collections } from "#services/identity/compose.ts";
import { Departures } from "#services/identity/admissions/departures.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { makeTenant, openPeople, operator } from "../../support/identity/open-people.ts";
import { OpenIdProvider } from "../../support/identity/openid-provider.ts";
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";

describe("Departures", () => {
	let opened: StoreUnderTest;

	beforeEach(async () => {
		opened = await openEmbedded(collections);
	});
	afterEach(() => opened.discard());

	const of = (tenant: string, ...users: string[]) => users.map((user_id) => ({ tenant, user_id }));

	it("are those who were removed or moved, and the people of deleted tenants", async () => {
		const people = openPeople(opened.store);
		for (const id of ["acme", "globex", "gone"]) await makeTenant(people, id);
		for (const id of ["stays", "removed", "again", "moved"])
			await people.admission.admit({ id, tenant: "acme", as_of: 1_000 });
		await people.admission.admit({ id: "last", tenant: "gone" });
		await people.admission.admit({ id: "moved", tenant: "globex", as_of: 2_000 });
		for (const id of ["removed", "again"]) await people.people.remove(operator, "acme", id);
		await people.people.add(operator, "acme", "again", "viewer");
		await people.directory.delete(operator, "gone");
		const asked = [
			...of("acme", "stays", "removed", "again", "moved", "nobody"),
			...of("globex", "moved"),
			...of("gone", "last"),
		];
		const departed = [...of("acme", "removed", "moved"), ...of("gone", "last")];
		expect(await people.departures.among(asked)).to.deep.equal(departed);
		const configured = new Departures({ ...people, areConfigured: true });
		expect(await configured.among(asked), "the configuration decides").to.deep.equal([]);
	});
});

const people = { ada: { org: "acme", groups: ["admin"] }, bob: { org: "acme", groups: ["developer"] } };

interface Reason {
	readonly status: string;
	readonly error: string | null;
	readonly status_reason: { readonly code: string } | null;
}

describe("sessions of a removed member", function () {
	this.timeout(90_000);
	let provider: OpenIdProvider;
	let platform: TestPlatform;

	before(async () => {
		provider = await OpenIdProvider.listen(people);
		const kwargs = { issuer: provider.issuer, audience: "atelier", tenant_claim: "org", role_claim: "groups" };
		platform = await startPlatform({
			config: {
				identity: { adapter: "services/gateway/identity-providers/oidc.ts#OidcIdentity", kwargs },
				pods: { people_share_a_machine: "they-trust-each-others-code", starting_per_owner: 1 },
			},
		});
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await provider?.[Symbol.asyncDispose]();
	});

	async function loggedIn(name: keyof typeof people): Promise<ApiClient> {
		return platform.client({ authorization: `Bearer ${(await provider.login(name)).accessToken}` });
	}

	it("end within 10 s and a pass, whether they run, start or wait, and those of others go on", async () => {
		const [ada, bob] = [await loggedIn("ada"), await loggedIn("bob")];
		const create = async (api: ApiClient, more: object = {}) =>
			(await api.post<{ id: string }>("/sessions", { name: "one", ...more })).body.id;
		const hers = await create(ada);
		await sessionReaches(ada, hers, "running");
		const running = await create(bob);
		await sessionReaches(bob, running, "running");
		const preset = { name: "slow", cli_tool: "builtin", setup_scripts: ["sleep 60"] };
		const preset_id = (await bob.post<{ id: string }>("/presets", preset)).body.id;
		const starting = await create(bob, { preset_id });
		await sessionReaches(bob, starting, "provisioning");
		const waiting = await create(bob);
		await sessionReaches(bob, waiting, "starting");

		expect((await ada.delete("/tenants/acme/members/bob")).status).to.equal(204);
		for (const id of [running, starting, waiting])
			await eventually(
				async () => {
					const { status, status_reason } = (await ada.get<Reason>(`/sessions/${id}`)).body;
					return status === "failed" && status_reason?.code === "OWNER_GONE";
				},
				{ withinMs: 30_000, what: `the end of ${id}` },
			);
		expect((await ada.get<Reason>(`/sessions/${hers}`)).body.status).to.equal("running");
		const { error } = (await ada.get<Reason>(`/sessions/${waiting}`)).body;
		expect(error).to.include("no member of its tenant any more");
	});
});
