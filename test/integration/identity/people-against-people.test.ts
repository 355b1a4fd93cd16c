/** People who act against others by roles, grants and old claims: a grant neither outlives the provider nor moves anybody. */
import { expect } from "chai";
import { collections } from "#services/identity/compose.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { ServiceError } from "#shared/base/errors.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { failureOf } from "../../support/failure-of.ts";
import {
	administratorOf,
	makeTenant,
	openPeople,
	type OpenedPeople,
	operator,
} from "../../support/identity/open-people.ts";
import { usePeople } from "../../support/identity/use-people.ts";
import { storeEngines } from "../../support/stores/open-stores.ts";

for (const [engine, open] of Object.entries(storeEngines(collections))) {
	describe(`people against people, on ${engine}`, function () {
		this.timeout(60_000);
		let store: DocumentStore;
		let one: OpenedPeople;

		usePeople(open, (people) => ({ store, one } = people));

		const saying = (id: string) => (tenant: string | null, role: string, as_of: number) =>
			one.admission.admit({ id, tenant, roles: [role], as_of });
		const typeOf = async (work: Promise<unknown>) => (await failureOf<ServiceError>(work)).type;

		it("lose a membership by claim with the claim, whoever has set its role (Q3)", async () => {
			const dora = saying("dora");
			const carl = administratorOf("acme");
			for (const next of ["globex", null]) {
				const at = next === null ? 3_000 : 1_000;
				await dora("acme", "viewer", at);
				await one.people.add(carl, "acme", "dora", "developer");
				expect((await dora("acme", "viewer", at + 1)).roles, "the role of the administrator").to.deep.equal([
					"developer",
				]);
				const before = await one.admission.standing("dora", "acme");
				if (next === null) expect(await typeOf(dora(next, "viewer", at + 1_000))).to.equal("NO_TENANT");
				else expect((await dora(next, "viewer", at + 1_000)).tenant).to.equal(next);
				expect(before, "control").to.include({ epoch: next === null ? 2 : 0 });
				expect(await one.admission.standing("dora", "acme"), String(next)).to.equal(null);
			}
			expect((await dora("acme", "viewer", 9_000)).roles, "a new membership has no set role").to.deep.equal(["viewer"]);
		});

		it("keep what an administrator has granted them, whatever their provider names (Q3)", async () => {
			const olga = saying("olga");
			await makeTenant(one, "acme");
			await olga("globex", "viewer", 1_000);
			await one.people.add(operator, "acme", "olga", "developer");
			await olga("globex", "viewer", 2_000);
			await one.people.add(administratorOf("acme"), "acme", "olga", "viewer");
			await olga("initech", "viewer", 3_000);
			expect((await one.admission.standing("olga", "acme"))?.roles).to.deep.equal(["viewer"]);
		});

		it("set no role of their own, in any tenant, whoever they are (Q3)", async () => {
			await saying("alice")("acme", "admin", 1_000);
			await makeTenant(one, "eu", "acme");
			const alice: Principal = { kind: "user", id: "alice", tenant: "acme", roles: ["admin"] };
			const attempts = [
				() => one.people.add(alice, "acme", "alice", "admin"),
				() => one.people.add({ ...alice, kind: "pat" }, "eu", "alice", "admin"),
				() => one.people.add(operator, "default", "root", "admin"),
			];
			for (const attempt of attempts) expect(await typeOf(attempt())).to.equal("OWN_ROLE");
			expect(await one.admission.standing("alice", "eu")).to.equal(null);
		});

		it("are operators by the word of a provider only if the configuration says so, whichever way it leads there (Q4)", async () => {
			const homes = [undefined, "default"];
			for (const home of homes) {
				const { admission } = openPeople(store, { home });
				const amy = { id: `amy-${home}`, roles: ["admin"] };
				expect(await typeOf(admission.admit(amy)), String(home)).to.equal("OPERATORS_TENANT");
				expect(await admission.standing(amy.id, "default")).to.equal(null);
			}
			const { admission, people } = openPeople(store, { home: "default" });
			expect((await admission.admit({ id: "dev", roles: ["developer"] })).tenant, "no operator").to.equal("default");
			await people.add(operator, "default", "dev", "admin");
			expect((await admission.admit({ id: "dev", roles: ["admin"] })).roles, "by an operator").to.include("admin");
			const open = openPeople(store, { namesOperators: true });
			expect((await open.admission.admit({ id: "olga", roles: ["admin"] })).roles).to.include("admin");
			expect((await admission.standing("olga", "default"))?.roles, "the role of a former word").to.deep.equal([
				"developer",
			]);
		});

		it("open no tenant with claims that are older than the newest of the same person (Q6)", async () => {
			const ex = saying("ex");
			await ex("globex", "viewer", 2_000);
			expect(await typeOf(ex("acme", "admin", 1_000))).to.equal("CLAIMS_OUTDATED");
			expect(await one.admission.standing("ex", "acme")).to.equal(null);
			expect(await one.tenants.get("acme"), "not even the tenant").to.equal(undefined);
			expect((await ex("globex", "admin", 1_000)).roles, "an older token of the present tenant").to.deep.equal([
				"viewer",
			]);
			expect((await ex("acme", "admin", 3_000)).roles, "control").to.include("admin");
			expect(await typeOf(ex(null, "viewer", 4_000))).to.equal("NO_TENANT");
			const open = openPeople(store, { namesOperators: true });
			await failureOf(open.admission.admit({ id: "eve", roles: ["viewer"], as_of: 2_000 }));
			expect(await typeOf(open.admission.admit({ id: "eve", roles: ["admin"], as_of: 1_000 }))).to.equal(
				"CLAIMS_OUTDATED",
			);
		});
	});
}
