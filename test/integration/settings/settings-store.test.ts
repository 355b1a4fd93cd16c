/** Settings over real stores: every tenant and user has their own, and no change is lost to another one. */
import { expect } from "chai";
import { TenantSettings } from "#services/settings/admin-settings/tenant-settings.ts";
import { collections } from "#services/settings/compose.ts";
import { FeaturePreferences } from "#services/settings/features/feature-preferences.ts";
import { FeatureToggles } from "#services/settings/features/feature-toggles.ts";
import { featureModules } from "#services/settings/features/feature-modules.ts";
import type { Principal } from "#shared/base/principal.ts";
import { InvalidParametersError, NotFoundError } from "#shared/base/errors.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { failureOf } from "../../support/failure-of.ts";
import { storeEngines } from "../../support/stores/open-stores.ts";

const alice: Principal = { kind: "user", id: "alice", tenant: "acme", roles: [] };
const bob: Principal = { ...alice, id: "bob" };
const admin: Principal = { ...alice, id: "dora", roles: ["admin"] };
const foreignAlice: Principal = { ...alice, tenant: "other" };
const foreignAdmin: Principal = { ...admin, tenant: "other" };

for (const [engine, open] of Object.entries(storeEngines(collections))) {
	describe(`settings on ${engine}`, function () {
		this.timeout(60_000);
		let opened: StoreUnderTest;
		let store: DocumentStore;

		beforeEach(async () => {
			opened = await open();
			store = opened.store;
		});
		afterEach(() => opened.discard());

		it("hide a module that is switched off from those of the tenant who do not administer it", async () => {
			const toggles = new FeatureToggles(store);
			const sees = async (principal: Principal) => (await toggles.seenBy(principal)).map(({ key }) => key);
			expect(await toggles.set(admin, "logs", false)).to.include({
				key: "logs",
				enabled: false,
				default_enabled: true,
			});
			expect(await sees(alice)).to.include.members(["chat"]);
			expect(await sees(alice)).not.to.include.members(["logs"]);
			expect(await sees(alice), "those of administrators").not.to.include.members(["users"]);
			expect(await sees(admin)).to.have.length(featureModules.length);
			expect(await sees(foreignAlice)).to.include.members(["logs"]);
			await toggles.set(admin, "logs", true);
			expect(await sees(alice)).to.include.members(["logs"]);
		});

		it("know no module but those there are", async () => {
			for (const key of ["no-such-module", "__proto__", "constructor"])
				expect(await failureOf(new FeatureToggles(store).set(admin, key, false))).to.be.instanceOf(NotFoundError);
		});

		it("keep the switches that several administrators turn at once", async () => {
			const toggles = new FeatureToggles(store);
			const keys = featureModules.map(({ key }) => key);
			await Promise.all(keys.map((key) => toggles.set(admin, key, false)));
			expect((await toggles.seenBy(admin)).filter(({ enabled }) => enabled)).to.deep.equal([]);
			expect((await toggles.seenBy(foreignAdmin)).filter(({ enabled }) => !enabled)).to.deep.equal([]);
		});

		it("keep the layout of each user apart, and replace it as a whole", async () => {
			const preferences = new FeaturePreferences(store);
			const one = { feature_key: "logs", visible: false, sort_order: 3 };
			const two = { feature_key: "chat", visible: true, sort_order: -1 };
			expect(await preferences.replace(alice, [one, two])).to.deep.equal([two, one]);
			expect(await preferences.of(alice)).to.deep.equal([two, one]);
			for (const other of [bob, foreignAlice]) expect(await preferences.of(other)).to.deep.equal([]);
			await preferences.replace(bob, [one]);
			expect(await preferences.replace(alice, [two])).to.deep.equal([two]);
			expect(await preferences.of(bob)).to.deep.equal([one]);
		});

		it("refuse a layout with an unknown module, or with one twice, and keep the former", async () => {
			const preferences = new FeaturePreferences(store);
			const known = { feature_key: "logs", visible: true, sort_order: 0 };
			await preferences.replace(alice, [known]);
			for (const wrong of [[{ ...known, feature_key: "no-such-module" }], [known, known]])
				expect(await failureOf(preferences.replace(alice, wrong))).to.be.instanceOf(InvalidParametersError);
			expect(await preferences.of(alice)).to.deep.equal([known]);
		});

		it("keep the settings of each tenant apart, with defaults for what nobody has chosen", async () => {
			const defaults = { storage: { home_enabled: true, file_manager_enabled: false } };
			const tenants = new TenantSettings(store, defaults);
			expect(await tenants.of(alice)).to.deep.equal(defaults);
			const changed = { storage: { home_enabled: false, file_manager_enabled: false } };
			expect(await tenants.change(admin, { storage: { home_enabled: false } })).to.deep.equal(changed);
			expect(await tenants.of(alice)).to.deep.equal(changed);
			expect(await tenants.of(foreignAlice)).to.deep.equal(defaults);
			for (const nothing of [{}, { storage: null }])
				expect(await tenants.change(admin, nothing)).to.deep.equal(changed);
			const later = new TenantSettings(store, { storage: { home_enabled: true, file_manager_enabled: true } });
			expect(await later.of(alice), "what nobody has chosen follows the configuration").to.deep.equal({
				storage: { home_enabled: false, file_manager_enabled: true },
			});
		});
	});
}
