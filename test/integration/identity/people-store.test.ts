/** People over real stores: first requests, tenants, roles, who reaches whom, and the last administrator. */
import { expect } from "chai";
import { Admission } from "#services/identity/admissions/admission.ts";
import { collections } from "#services/identity/compose.ts";
import { MemberDirectory } from "#services/identity/directory/member-directory.ts";
import { Reach } from "#services/identity/directory/reach.ts";
import { RoleNames } from "#services/identity/directory/role-names.ts";
import { TenantDirectory } from "#services/identity/directory/tenant-directory.ts";
import { confirmOldMembers } from "#services/identity/record/confirm-old-members.ts";
import { memberCollection, membershipId } from "#services/identity/record/member-collection.ts";
import { MemberRecords } from "#services/identity/record/member-records.ts";
import { TenantRecords } from "#services/identity/record/tenant-records.ts";
import { UserRecords } from "#services/identity/record/user-records.ts";
import type { Principal } from "#shared/bus/principal.ts";
import type { Member, Tenant } from "#shared/contracts/identity/tenants.ts";
import type { User } from "#shared/contracts/identity/users.ts";
import { ConflictError, ForbiddenError, NotFoundError } from "#shared/errors.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoredPage } from "#shared/store/stored-page.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { failureOf } from "../../support/failure-of.ts";
import { openEmbedded, openOnEndpoint } from "../../support/stores/open-stores.ts";

const engines: Record<string, () => Promise<StoreUnderTest>> = {
	SQLite: () => openEmbedded(collections),
	"MongoDB's wire protocol": () => openOnEndpoint(collections),
};

const operator: Principal = { kind: "user", id: "root", tenant: "default", roles: ["admin"] };
const all = { limit: 500 };

function administratorOf(tenant: string): Principal {
	return { kind: "user", id: `boss-of-${tenant}`, tenant, roles: ["admin"] };
}

function itemsOf<T>({ items }: StoredPage): T[] {
	return JSON.parse(items.$json);
}

/** The rules of the configuration. */
interface Opened {
	readonly prefix: string;
	readonly home: string | undefined;
	readonly namesOperators: boolean;
}

/** The parts of one process. */
function openPeople(store: DocumentStore, { prefix = "", home, namesOperators = false }: Partial<Opened> = {}) {
	const tenants = new TenantRecords(store);
	const records = { users: new UserRecords(store), tenants, members: new MemberRecords(store) };
	const reach = new Reach(tenants, "default");
	return {
		...records,
		admission: new Admission(records, { operators: "default", namesOperators, home }),
		directory: new TenantDirectory(tenants, reach),
		people: new MemberDirectory(records, reach, new RoleNames(prefix)),
	};
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

for (const [engine, open] of Object.entries(engines)) {
	describe(`people on ${engine}`, function () {
		this.timeout(60_000);
		let opened: StoreUnderTest;
		let store: DocumentStore;
		let one: ReturnType<typeof openPeople>;
		let other: ReturnType<typeof openPeople>;

		beforeEach(async () => {
			opened = await open();
			store = opened.store;
			one = openPeople(store);
			other = openPeople(store);
			await one.admission.provision(operator);
		});
		afterEach(() => opened.discard());

		async function tenant(id: string, parent_id?: string): Promise<void> {
			const given = { name: id, tenant_id: id, tier: "team", max_sessions: 1, max_storage_gb: 1 } as const;
			await one.directory.create(operator, { ...given, ...(parent_id !== undefined && { parent_id }) });
		}

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

		it("have no tenant where nothing gives them one, and become users whom an operator can add", async () => {
			const refused = await failureOf<ForbiddenError>(one.admission.admit({ id: "ada" }));
			expect(refused.type).to.equal("NO_TENANT");
			expect(refused.message).to.include('user id "ada"');
			await tenant("acme");
			await one.people.add(operator, "acme", "ada", "developer");
			expect((await one.admission.admit({ id: "ada" })).tenant).to.equal("acme");
			const byWord = await one.admission.admit({ id: "olga", roles: ["admin"] });
			expect(byWord, "an administrator of a provider without tenants").to.include({ tenant: "default" });
		});

		it("choose among several tenants by the request, and are drawn out of none by a grant (P1)", async () => {
			for (const id of ["acme", "globex"]) await tenant(id);
			const olga = (wanted?: string) => one.admission.admit({ id: "olga", roles: ["admin"] }, wanted);
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
			await one.admission.admit({ id: "olga", roles: ["admin"] });
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

		it("keep their tokens through an upgrade: old memberships have no epoch, and are confirmed by it", async () => {
			await one.admission.admit({ id: "ada", tenant: "acme" });
			const { epoch: _epoch, seen_at: _seen, ...old } = (await one.members.get("acme", "ada")) ?? { id: "", wire: "" };
			const id = membershipId("acme", "old");
			const wire = old.wire.replace('"ada"', '"old"');
			await store.insert(memberCollection, { ...old, id, wire, user: "old", granted_at: "2020-01-01T00:00:00.000Z" });
			const before = Date.now();
			const work = { store, position: undefined, reached: async () => {}, say() {} };
			await confirmOldMembers(work);
			const standing = await one.admission.standing("old", "acme");
			expect(standing).to.include({ epoch: 0 });
			expect(standing?.confirmed_at).to.be.at.least(before);
			const { rev } = (await one.members.get("acme", "old")) ?? {};
			await confirmOldMembers(work);
			expect((await one.members.get("acme", "old"))?.rev, "once").to.equal(rev);
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
