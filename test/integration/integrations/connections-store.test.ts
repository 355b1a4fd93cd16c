/** Connections over real stores: everybody has their own, no change is lost to another one, and uses see the enabled ones. */
import { expect } from "chai";
import { join } from "node:path";
import { Catalogue } from "#services/integrations/catalogue/catalogue.ts";
import { collections } from "#services/integrations/compose.ts";
import { ConnectionRecords, type NewConnection } from "#services/integrations/connections/connection-records.ts";
import { ConnectionUses, type Injected } from "#services/integrations/connection-uses/connection-uses.ts";
import { isoTime } from "#shared/base/clock.ts";
import type { NamedValues } from "#shared/contracts/credentials/injection.ts";
import type { Connection } from "#shared/contracts/integrations/integrations.ts";
import { ConflictError, NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { storeEngines } from "../../support/stores/open-stores.ts";

const alice = { tenant: "acme", id: "alice" };
const bob = { tenant: "acme", id: "bob" };
const foreignAlice = { tenant: "other", id: "alice" };
const everybody = [alice, bob, foreignAlice];

const github: NewConnection = {
	integration_type: "source_control",
	adapter: "github",
	slug: "github",
	credential_name: "gh",
	config: {},
	enabled: true,
};
const linear: NewConnection = {
	...github,
	integration_type: "issue_tracker",
	adapter: "linear",
	slug: "linear",
	credential_name: "lin",
};

for (const [engine, open] of Object.entries(storeEngines(collections))) {
	describe(`connections on ${engine}`, function () {
		this.timeout(60_000);
		let opened: StoreUnderTest;
		let records: ConnectionRecords;
		const catalogue = new Catalogue([join(projectRoot, "config/integrations")], { error: () => {} });

		beforeEach(async () => {
			opened = await open();
			records = new ConnectionRecords(opened.store, 5);
		});
		afterEach(() => opened.discard());

		/** Creates a connection in a millisecond of its own, because lists are sorted by time. */
		async function made(owner: typeof alice, connection: NewConnection, key?: string): Promise<Connection> {
			const one: Connection = JSON.parse(await records.create(owner, connection, key));
			await eventually(() => isoTime() > one.created_at, { everyMs: 1 });
			return one;
		}

		const uses = (injected: Injected = "all") => new ConnectionUses(records, catalogue, injected);

		async function listed(owner: typeof alice): Promise<string> {
			const { items } = await records.list(owner, { limit: 500 });
			return JSON.stringify(items);
		}

		it("belong to one person: for all others they do not exist", async () => {
			const { id } = await made(alice, github);
			for (const other of [bob, foreignAlice]) {
				expect(await failureOf(records.get(other, id))).to.be.instanceOf(NotFoundError);
				expect(await failureOf(records.change(other, id, { enabled: false }))).to.be.instanceOf(NotFoundError);
				expect(await failureOf(records.delete(other, id))).to.be.instanceOf(NotFoundError);
				expect(await records.ofIds(other, [id])).to.deep.equal([]);
				expect(await records.enabled(other)).to.deep.equal([]);
				expect(await records.naming(other.tenant, other.id, "gh")).to.deep.equal([]);
				expect(await listed(other)).not.to.contain(id);
			}
			expect(await records.get(alice, id)).to.include({ enabled: true, slug: "github" });
		});

		it("are told of the people who have one, enabled or not", async () => {
			await made(alice, { ...github, enabled: false });
			const people = everybody.map(({ tenant, id: owner }) => ({ tenant, owner }));
			expect(await uses("named").connected(people)).to.deep.equal([{ tenant: "acme", owner: "alice" }]);
		});

		it("keep all of several changes at once", async () => {
			const { id } = await made(alice, github);
			await Promise.all([
				records.change(alice, id, { enabled: false }),
				records.change(alice, id, { credential_name: "other" }),
				records.change(alice, id, { config: { orgs: "acme" } }),
			]);
			const changed = { enabled: false, credential_name: "other", config: { orgs: "acme" } };
			expect(await records.get(alice, id)).to.deep.include(changed);
			expect(JSON.parse(await records.change(alice, id, { enabled: null, config: null }))).to.deep.include(changed);
		});

		it("are made once by a key, and no more than a person may have", async () => {
			const [first, again] = await Promise.all([made(alice, github, "k"), made(alice, github, "k")]);
			expect(first.id).to.equal(again.id);
			expect(await failureOf(made(alice, linear, "k"))).to.be.instanceOf(UnprocessableError);
			expect((await made(bob, github, "k")).id).not.to.equal(first.id);
			for (let more = 1; more < 5; more++) await made(alice, linear);
			expect(await failureOf(made(alice, github))).to.be.instanceOf(ConflictError);
			expect((await made(alice, github, "k")).id, "the repeated one is not refused").to.equal(first.id);
		});

		it("are usable when they are enabled and their credentials are whole, newest first", async () => {
			const old = await made(alice, linear);
			const broken = await made(alice, { ...linear, credential_name: "half" });
			const off = await made(alice, { ...linear, enabled: false });
			const newest = await made(alice, { ...linear, config: { a: "b" } });
			await made(alice, github);
			const read = async (_owner: object, names: readonly string[]): Promise<NamedValues[]> =>
				[
					{ name: "lin", secret_type: "oauth_token" as const, data: { api_key: "x", refresh_token: "y" } },
					{ name: "half", secret_type: "generic" as const, data: { other: "x" } },
				].filter(({ name }) => names.includes(name));
			const found = await uses().usable(alice, { type: "issue_tracker" }, read);
			expect(found.map(({ id }) => id)).to.deep.equal([newest.id, old.id]);
			expect(found[0]).to.deep.include({ adapter: "linear", config: { a: "b" }, credential: { api_key: "x" } });
			const some = { type: "issue_tracker", ids: [old.id, off.id, broken.id, "none"] } as const;
			expect((await uses().usable(alice, some, read)).map(({ id }) => id)).to.deep.equal([old.id]);
			for (const other of [bob, foreignAlice]) expect(await uses().usable(other, some, read)).to.deep.equal([]);
		});

		it("are those of a launch that are named, or else all enabled ones, unless the configuration says none", async () => {
			const one = await made(alice, github);
			const two = await made(alice, linear);
			const off = await made(alice, { ...linear, enabled: false });
			const sources = async (owner: typeof alice, ids: string[], injected?: Injected) =>
				(await uses(injected).launch(owner, ids, [])).mappings.map(({ source }) => source);
			const [ofGithub, ofLinear] = ['integration "github"', 'integration "linear"'];
			expect(await sources(alice, [])).to.have.members([ofGithub, ofLinear]);
			expect(await sources(alice, [], "named")).to.deep.equal([]);
			for (const injected of ["all", "named"] as const)
				expect(await sources(alice, [one.id, off.id], injected)).to.deep.equal([ofGithub]);
			for (const other of [bob, foreignAlice]) expect(await sources(other, [one.id, two.id])).to.deep.equal([]);
			expect((await uses().launch(alice, [off.id, "none", two.id], [])).warnings).to.deep.equal([
				`connection "${off.id}" is disabled`,
				'connection "none" does not exist',
			]);
			expect((await uses().launch(bob, [one.id], [])).warnings).to.deep.equal([
				`connection "${one.id}" does not exist`,
			]);
		});

		it("are found by their credential, of a person and of a tenant", async () => {
			for (const owner of everybody) await made(owner, github);
			const off = await made(alice, { ...github, enabled: false });
			await made(alice, linear);
			const named = await uses().naming("acme", undefined, "gh");
			expect(named.map(({ owner, unnamed }) => `${owner} ${unnamed}`).toSorted()).to.deep.equal([
				"alice false",
				"alice true",
				"bob true",
			]);
			const own = await uses("named").naming("acme", "alice", "gh");
			expect(own.map(({ unnamed }) => unnamed)).to.deep.equal([false, false]);
			expect(own.map(({ id }) => id)).to.include(off.id);
		});
	});
}
