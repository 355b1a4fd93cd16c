/** People who come, move and leave over real stores: which tenant they act in, and what ends with a membership. */
import { expect } from "chai";
import { collections } from "#services/identity/compose.ts";
import { type ForbiddenError, NotFoundError } from "#shared/base/errors.ts";
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
	describe(`people who move, on ${engine}`, function () {
		this.timeout(60_000);
		let store: DocumentStore;
		let one: OpenedPeople;
		let other: OpenedPeople;

		usePeople(open, (people) => ({ store, one, other } = people));

		const tenant = (id: string) => makeTenant(one, id);

		it("have no tenant where nothing gives them one, and become users whom an operator can add", async () => {
			const refused = await failureOf<ForbiddenError>(one.admission.admit({ id: "ada" }));
			expect(refused.type).to.equal("NO_TENANT");
			expect(refused.message).to.include('user id "ada"');
			await tenant("acme");
			await one.people.add(operator, "acme", "ada", "developer");
			expect((await one.admission.admit({ id: "ada" })).tenant).to.equal("acme");
			const open = openPeople(store, { namesOperators: true });
			const byWord = await open.admission.admit({ id: "olga", roles: ["admin"] });
			expect(byWord, "an administrator of a provider without tenants").to.include({ tenant: "default" });
		});

		it("choose among several tenants by the request, and are drawn out of none by a grant (P1)", async () => {
			for (const id of ["acme", "globex"]) await tenant(id);
			const open = openPeople(store, { namesOperators: true });
			const olga = (wanted?: string) => open.admission.admit({ id: "olga", roles: ["admin"] }, wanted);
			const bob = (wanted?: string) => one.admission.admit({ id: "bob" }, wanted);
			await olga();
			await failureOf(bob());
			await one.people.add(operator, "globex", "bob", "developer");
			for (const id of ["bob", "olga"]) await one.people.add(operator, "acme", id, "viewer");
			expect([(await olga()).tenant, (await olga("acme")).tenant]).to.deep.equal(["default", "acme"]);
			expect((await olga("acme")).roles).to.deep.equal(["viewer"]);
			expect([(await bob()).tenant, (await bob("acme")).tenant]).to.deep.equal(["globex", "acme"]);
			for (const foreign of ["default", "none"])
				expect((await failureOf<ForbiddenError>(bob(foreign))).type, foreign).to.equal("NOT_A_MEMBER");
		});

		it("are not drawn back by an administrator whom they left (P1)", async () => {
			for (const id of ["acme", "globex"]) await tenant(id);
			await openPeople(store, { namesOperators: true }).admission.admit({ id: "olga", roles: ["admin"] });
			await failureOf(one.admission.admit({ id: "bob" }));
			const carl = administratorOf("acme");
			for (const user of ["olga", "bob"]) {
				await one.people.add(operator, "acme", user, "viewer");
				await one.people.remove(operator, "acme", user);
			}
			await one.people.add(operator, "globex", "bob", "developer");
			for (const user of ["olga", "bob"])
				for (const attempt of [
					() => one.people.add(carl, "acme", user, "viewer"),
					() => one.people.reprovision(carl, user),
				])
					expect(await failureOf(attempt()), user).to.be.instanceOf(NotFoundError);
			await one.people.remove(operator, "globex", "bob");
			await one.people.add(carl, "acme", "bob", "viewer");
			expect((await one.admission.admit({ id: "bob" })).tenant, "nobody else has him").to.equal("acme");
		});

		it("leave the tenant that their provider does not name any more, and come back as somebody new (P5a)", async () => {
			const admit = (tenant: string | null, as_of: number) =>
				one.admission.admit({ id: "ada", tenant, roles: ["admin"], as_of });
			const epochs = async () => [
				(await one.admission.standing("ada", "acme"))?.epoch,
				(await one.admission.standing("ada", "globex"))?.epoch,
			];
			await admit("acme", 1_000);
			expect(await epochs()).to.deep.equal([0, undefined]);
			await admit("globex", 2_000);
			expect(await epochs()).to.deep.equal([undefined, 0]);
			expect((await failureOf<ForbiddenError>(admit("acme", 1_000))).type, "the old token").to.equal("CLAIMS_OUTDATED");
			expect(await epochs()).to.deep.equal([undefined, 0]);
			expect((await admit("acme", 3_000)).epoch).to.equal(2);
			expect(await epochs()).to.deep.equal([2, undefined]);
			expect((await failureOf<ForbiddenError>(admit(null, 4_000))).type, "no tenant at all").to.equal("NO_TENANT");
			expect(await epochs()).to.deep.equal([undefined, undefined]);
		});

		it("have another epoch after a removal, so that no token of the time before comes back (P5b)", async () => {
			await one.admission.admit({ id: "ada", tenant: "acme" });
			await one.people.remove(operator, "acme", "ada");
			await one.people.add(operator, "acme", "ada", "developer");
			expect((await one.admission.standing("ada", "acme"))?.epoch).to.equal(2);
			await one.people.add(operator, "acme", "ada", "viewer");
			expect((await one.admission.standing("ada", "acme"))?.epoch, "another role").to.equal(2);
		});

		it("do not fall into the home of others when they are removed (P5c)", async () => {
			const home = openPeople(store, { home: "default" });
			await tenant("acme");
			await home.admission.admit({ id: "bob" });
			await one.people.add(operator, "acme", "bob", "viewer");
			await one.people.remove(operator, "acme", "bob");
			for (const wanted of [undefined, "default", "acme"])
				expect((await failureOf<ForbiddenError>(home.admission.admit({ id: "bob" }, wanted))).type).to.equal(
					"NOT_A_MEMBER",
				);
			await one.people.add(operator, "default", "bob", "developer");
			expect((await home.admission.admit({ id: "bob" })).tenant).to.equal("default");
		});

		it("reach the operators' tenant by a claim only if the configuration says so (P7b)", async () => {
			const mallory = { id: "mallory", tenant: "default", roles: ["admin"] };
			expect((await failureOf<ForbiddenError>(one.admission.admit(mallory))).type).to.equal("OPERATORS_TENANT");
			expect(await one.admission.standing("mallory", "default")).to.equal(null);
			await one.people.add(operator, "default", "mallory", "viewer");
			expect((await one.admission.admit(mallory)).roles, "added by an operator").to.deep.equal(["viewer"]);
			const open = openPeople(store, { namesOperators: true });
			expect((await open.admission.admit({ ...mallory, id: "olga" })).roles).to.include("admin");
		});

		it("are described by the newest claims, whichever arrive last (P3)", async () => {
			const admit = (as_of: number, role: string) =>
				one.admission.admit({ id: "ex", tenant: "acme", roles: [role], as_of });
			await admit(1_000, "admin");
			await admit(2_000, "admin");
			expect((await admit(3_000, "viewer")).roles).to.deep.equal(["viewer"]);
			expect((await admit(2_000, "admin")).roles, "an older token").to.deep.equal(["viewer"]);
			expect((await one.admission.standing("ex", "acme"))?.roles).to.deep.equal(["viewer"]);
			expect((await admit(4_000, "admin")).roles).to.include("admin");
		});

		it("are told their newest role and removal by every process that is asked at once (P4)", async () => {
			for (let round = 0; round < 20; round++) {
				const id = `ex-${round}`;
				const person = (role: string) => ({ id, tenant: "acme", roles: [role] });
				await one.admission.admit(person("admin"));
				const both = await Promise.all([one, other].map(({ admission }) => admission.admit(person("viewer"))));
				expect(both.map(({ roles }) => roles)).to.deep.equal([["viewer"], ["viewer"]]);
			}
		});
	});
}
