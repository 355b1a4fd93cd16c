/** People over real stores: first requests, tenants, roles, who reaches whom, and the last administrator. */
import { expect } from "chai";
import { collections } from "#services/identity/compose.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { Member, Tenant } from "#shared/contracts/identity/tenants.ts";
import type { User } from "#shared/contracts/identity/users.ts";
import { ConflictError, ForbiddenError, NotFoundError } from "#shared/base/errors.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoredPage } from "#shared/store/pages/stored-page.ts";
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

const all = { limit: 500 };

function itemsOf<T>({ items }: StoredPage): T[] {
	return JSON.parse(items.$json);
}

/** Counts the writes that reach a store. */
function counted(store: DocumentStore): { store: DocumentStore; writes: () => number } {
	let writes = 0;
	const proxy = new Proxy(store, {
		get(target, name: keyof DocumentStore) {
			const member: unknown = target[name];
			if (typeof member !== "function") return member;
			if (["insert", "update", "remove", "append"].includes(name)) writes++;
			return member.bind(target);
		},
	});
	return { store: proxy, writes: () => writes };
}

for (const [engine, open] of Object.entries(storeEngines(collections))) {
	describe(`people on ${engine}`, function () {
		this.timeout(60_000);
		let store: DocumentStore;
		let one: OpenedPeople;
		let other: OpenedPeople;

		usePeople(open, (people) => ({ store, one, other } = people));

		const tenant = (id: string, parent?: string) => makeTenant(one, id, parent);
		const paths = async (principal: Principal) =>
			itemsOf<Tenant>(await one.directory.list(principal, undefined, all)).map(({ path }) => path);
		const members = async (id: string) => itemsOf<Member>(await one.people.members(operator, id, all));

		it("become users and members once, whichever process sees them first, and are then only read", async () => {
			const person = { id: "ada", email: "ada@example.test", tenant: "new", roles: ["admin", "viewer"] };
			const admissions = Array.from({ length: 20 }, (_, index) => (index % 2 ? one : other).admission.admit(person));
			for (const standing of await Promise.all(admissions))
				expect(standing).to.deep.equal({ tenant: "new", roles: ["admin", "developer"], epoch: 0 });
			expect((await members("new")).map(({ user_id, role }) => [user_id, role])).to.deep.equal([["ada", "admin"]]);
			const users = itemsOf<User>(await one.people.users(operator, all));
			expect(users.map(({ id, display_name }) => [id, display_name])).to.deep.equal([
				["ada", "ada"],
				["root", "root"],
			]);
			const { store: watched, writes } = counted(store);
			const third = openPeople(watched);
			for (let index = 0; index < 10; index++) await third.admission.admit(person);
			expect(writes()).to.equal(0);
			await third.admission.admit({ ...person, name: "Ada L." });
			expect(writes()).to.equal(1);
			expect(itemsOf<User>(await one.people.users(operator, all))[0]?.display_name).to.equal("Ada L.");
		});

		it("act in the tenant of their claim, or the one they were added to, or their home", async () => {
			const home = openPeople(store, { home: "default" });
			const admit = (tenant?: string | null) =>
				home.admission.admit({ id: "ada", ...(tenant !== undefined && { tenant }) });
			expect((await failureOf<ForbiddenError>(admit(null))).type).to.equal("NO_TENANT");
			expect(await admit()).to.deep.equal({ tenant: "default", roles: ["developer"], epoch: 0 });
			await tenant("acme");
			await one.people.add(operator, "acme", "ada", "viewer");
			for (const none of [undefined, null])
				expect(await admit(none)).to.deep.equal({ tenant: "acme", roles: ["viewer"], epoch: 0 });
			await tenant("other");
			await one.people.add(operator, "other", "ada", "admin");
			for (const none of [undefined, null]) expect((await admit(none)).tenant, "the first grant").to.equal("acme");
			expect((await admit("other")).roles).to.include("admin");
		});

		it("follow their provider's role until an administrator sets one", async () => {
			const admit = (...roles: string[]) => one.admission.admit({ id: "ada", tenant: "acme", roles });
			expect((await admit("admin")).roles).to.deep.equal(["admin", "developer"]);
			expect((await admit("viewer")).roles).to.deep.equal(["viewer"]);
			expect((await one.admission.standing("ada", "acme"))?.roles).to.deep.equal(["viewer"]);
			await one.people.add(operator, "acme", "ada", "developer");
			expect((await admit("admin")).roles).to.deep.equal(["developer"]);
			expect((await members("acme")).map(({ role }) => role)).to.deep.equal(["developer"]);
		});

		it("are administrators by their provider's word as long as it says so, and not when it is silent", async () => {
			const admit = async (...roles: string[]) =>
				(await one.admission.admit({ id: "ada", tenant: "acme", ...(roles.length > 0 && { roles }) })).roles;
			expect(await admit("admin")).to.include("admin");
			expect(await admit()).to.deep.equal(["developer"]);
			expect((await one.admission.standing("ada", "acme"))?.roles).to.deep.equal(["developer"]);
			await admit("viewer");
			expect(await admit(), "silence raises nobody").to.deep.equal(["viewer"]);
			await one.people.add(operator, "acme", "ada", "admin");
			expect(await admit(), "the word of an administrator").to.include("admin");
		});

		it("do not come back by themselves: neither removed members nor deleted tenants", async () => {
			const admit = () => other.admission.admit({ id: "ada", tenant: "acme", roles: ["developer"] });
			await admit();
			await one.people.remove(operator, "acme", "ada");
			expect((await failureOf<ForbiddenError>(admit())).type).to.equal("NOT_A_MEMBER");
			expect(await one.admission.standing("ada", "acme")).to.equal(null);
			expect(await members("acme")).to.deep.equal([]);
			await one.people.add(operator, "acme", "ada", "viewer");
			expect((await admit()).roles).to.deep.equal(["viewer"]);
			await one.directory.delete(operator, "acme");
			expect((await failureOf<ForbiddenError>(admit())).type).to.equal("TENANT_DELETED");
			expect(await one.admission.standing("ada", "acme")).to.equal(null);
			expect(await failureOf(tenant("acme"))).to.be.instanceOf(ConflictError);
		});

		it("can be added to another tenant when theirs was deleted", async () => {
			const { admission } = openPeople(store, { home: "default" });
			const admit = () => admission.admit({ id: "ada" });
			await admit();
			for (const id of ["acme", "beta", "gamma"]) await tenant(id);
			await one.people.add(operator, "acme", "ada", "viewer");
			await one.directory.delete(operator, "acme");
			expect((await failureOf<ForbiddenError>(admit())).type).to.equal("TENANT_DELETED");
			await one.people.add(operator, "beta", "ada", "developer");
			expect(await admit()).to.deep.equal({ tenant: "beta", roles: ["developer"], epoch: 0 });
			await one.people.add(operator, "gamma", "ada", "developer");
			expect((await admit()).tenant).to.equal("beta");
			for (const id of ["beta", "gamma"]) await one.directory.delete(operator, id);
			expect((await failureOf<ForbiddenError>(admit())).type).to.equal("TENANT_DELETED");
		});

		it("see tenants below their own one, and none whose name only looks like it", async () => {
			for (const id of ["acme", "acme.eu", "acme/eu", "acme%2F", "acmeX", "ac"]) await tenant(id);
			await tenant("eu", "acme");
			await tenant("de", "eu");
			await tenant("eu2", "acmeX");
			const boss = administratorOf("acme");
			expect(await paths(boss)).to.deep.equal(["acme", "acme.eu", "acme.eu.de"]);
			expect(await paths({ ...boss, roles: [] })).to.deep.equal(["acme"]);
			expect((await paths(operator)).length).to.equal(10);
			const children = await one.directory.list(boss, "acme", all);
			expect(itemsOf<Tenant>(children).map(({ id }) => id)).to.deep.equal(["eu"]);
			for (const foreign of ["acme.eu", "acme/eu", "acme%2F", "acmeX", "ac", "eu2", "default", "none"]) {
				expect(itemsOf(await one.directory.list(boss, foreign, all))).to.deep.equal([]);
				const attempts = [
					() => one.directory.get(boss, foreign),
					() => one.directory.change(boss, foreign, { max_sessions: 9 }),
					() => one.directory.delete(boss, foreign),
					() =>
						one.directory.create(boss, {
							name: "x",
							parent_id: foreign,
							tier: "team",
							max_sessions: 1,
							max_storage_gb: 1,
						}),
					() => one.people.members(boss, foreign, all),
					() => one.people.add(boss, foreign, "root", "viewer"),
					() => one.people.remove(boss, foreign, "root"),
					() => one.people.reprovisionTenant(boss, foreign),
				];
				for (const attempt of attempts) expect(await failureOf(attempt()), foreign).to.be.instanceOf(NotFoundError);
			}
			expect(await failureOf(one.directory.change(boss, "acme", { max_sessions: 9 }))).to.be.instanceOf(ForbiddenError);
			expect(await failureOf(one.directory.delete(boss, "acme"))).to.be.instanceOf(ForbiddenError);
			expect(JSON.parse(await one.directory.change(boss, "eu", { max_sessions: 9 }))).to.include({ max_sessions: 9 });
		});

		it("cannot be drawn into a tenant by somebody who does not administer one of theirs", async () => {
			await one.admission.admit({ id: "ada", tenant: "acme" });
			await one.admission.admit({ id: "eve", tenant: "evil", roles: ["admin"] });
			const eve: Principal = { kind: "user", id: "eve", tenant: "evil", roles: ["admin"] };
			for (const user of ["ada", "nobody"]) {
				expect(await failureOf(one.people.add(eve, "evil", user, "viewer")), user).to.be.instanceOf(NotFoundError);
				expect(await failureOf(one.people.reprovision(eve, user)), user).to.be.instanceOf(NotFoundError);
			}
			expect(itemsOf<User>(await one.people.users(eve, all)).map(({ id }) => id)).to.deep.equal(["eve"]);
		});

		it("keep an administrator, also when all of them are removed at once", async () => {
			const names = ["a", "b", "c", "d"];
			for (const id of names) await one.admission.admit({ id, tenant: "acme", roles: ["admin"] });
			const ends = names.map((id, index) => {
				const { people } = index % 2 ? one : other;
				return index < 2 ? people.remove(operator, "acme", id) : people.add(operator, "acme", id, "viewer");
			});
			const refused = (await Promise.allSettled(ends)).filter(({ status }) => status === "rejected");
			expect(refused.length).to.be.above(0);
			for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).to.be.instanceOf(ConflictError);
			const left = (await members("acme")).filter(({ role }) => role === "admin");
			expect(left.length).to.be.above(0);
			for (const { user_id } of left.slice(1)) await one.people.remove(operator, "acme", user_id);
			const [last] = left;
			expect(await failureOf(one.people.remove(operator, "acme", last?.user_id ?? ""))).to.be.instanceOf(ConflictError);
		});

		it("would all be gone without that protection (control)", async () => {
			for (const id of ["a", "b"]) await one.admission.admit({ id, tenant: "acme", roles: ["admin"] });
			await Promise.all(["a", "b"].map((id) => one.members.remove("acme", id)));
			expect(await members("acme")).to.deep.equal([]);
		});

		it("find no tenant below a deleted one, whoever is faster", async () => {
			for (let round = 0; round < 10; round++) {
				await tenant(`p${round}`);
				const outcomes = await Promise.allSettled([
					tenant(`c${round}`, `p${round}`),
					other.directory.delete(operator, `p${round}`),
				]);
				expect(outcomes.map(({ status }) => status)).to.have.members(["fulfilled", "rejected"]);
			}
		});

		it("come in pages, with an entity tag", async () => {
			for (let index = 0; index < 5; index++) await one.admission.admit({ id: `p${index}`, tenant: "acme" });
			const boss = administratorOf("acme");
			for (const list of [
				(page: object) => one.people.users(operator, { limit: 2, ...page }),
				(page: object) => one.people.users(boss, { limit: 2, ...page }),
				(page: object) => one.people.members(boss, "acme", { limit: 2, ...page }),
				(page: object) => one.directory.list(operator, undefined, { limit: 1, ...page }),
			]) {
				const first = await list({});
				const next = await list({ cursor: first.next });
				expect(itemsOf(next)).to.have.length.above(0);
				expect(itemsOf(next)).to.not.deep.equal(itemsOf(first));
				expect((await list({ known: first.etag })).unchanged).to.equal(true);
				expect((await failureOf<{ code: number }>(list({ cursor: "not-ours" }))).code).to.equal(400);
			}
		});

		it("have roles with the prefix that clients expect", async () => {
			await one.admission.admit({ id: "ada", tenant: "acme" });
			const { people } = openPeople(store, { prefix: "volundr:" });
			const added: Member = JSON.parse(await people.add(operator, "acme", "ada", "viewer"));
			expect(added.role).to.equal("volundr:viewer");
			const shown = itemsOf<Member>(await people.members(operator, "acme", all));
			expect(shown.map(({ role }) => role)).to.deep.equal(["volundr:viewer"]);
			expect((await one.admission.standing("ada", "acme"))?.roles).to.deep.equal(["viewer"]);
		});
	});
}
