/** Pull requests over real stores: who sees which, and that each is told once, however often it is stored. */
import { expect } from "chai";
import { collections } from "#services/git/compose.ts";
import { pullCollection, type PullRecord } from "#services/git/pulls/pull-collection.ts";
import { PullRecords } from "#services/git/pulls/pull-records.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { storeEngines } from "../../support/stores/open-stores.ts";

const alice: Principal = { kind: "user", id: "alice", tenant: "acme", roles: [] };
const bob: Principal = { ...alice, id: "bob" };
const admin: Principal = { ...alice, id: "dora", roles: ["admin"] };
const foreignAdmin: Principal = { ...admin, tenant: "other" };

const session_id = "00000000-0000-4000-8000-000000000001";
const repo = "git.example/org/shop";
const repo_url = "https://git.example/Org/Shop";
const sha = "b".repeat(40);

function pull(number: number, more: Partial<PullRecord> = {}): PullRecord {
	const branches = { head: "work", base: "main", head_sha: "a".repeat(40) };
	const named = { session_id, repo, repo_url, provider: "hub", number, url: `${repo_url}/pull/${number}` };
	const created_at = "2026-11-20T20:00:00.000Z";
	return { ...named, ...branches, state: "open", created_at, merge_method: null, merge_sha: null, ...more };
}

for (const [engine, open] of Object.entries(storeEngines(collections))) {
	describe(`pull requests on ${engine}`, function () {
		this.timeout(60_000);
		let opened: StoreUnderTest;
		let records: PullRecords;
		let wakes = 0;

		beforeEach(async () => {
			opened = await open();
			wakes = 0;
			records = new PullRecords(opened.store, () => wakes++);
		});
		afterEach(() => opened.discard());

		async function told(): Promise<string[]> {
			const waiting = await opened.store.outbox(pullCollection, 100);
			return waiting.flatMap(({ entries }) => entries.map(({ type, data }) => `${type} ${data}`));
		}

		it("are told once, by requests at the same moment too", async () => {
			await Promise.all([1, 1, 1].map((number) => records.opened(alice, pull(number))));
			const merge = { ...pull(1), merge_method: "squash", merge_sha: sha };
			await Promise.all([1, 2, 3].map(() => records.merged(alice, merge)));
			await records.observed(alice, pull(1), "merged", sha);
			await records.observed(alice, pull(1), "closed", null);
			await records.told(pull(1), "merged", sha);
			expect(await told()).to.deep.equal([
				`pr_created {"session_id":"${session_id}","pr_number":1,"pr_url":"${repo_url}/pull/1","repo_url":"${repo_url}"}`,
				`pr_merged {"pr_number":1,"repo_url":"${repo_url}","merge_method":"squash","session_id":"${session_id}"}`,
			]);
			expect(wakes).to.equal(2);
			const stored = await records.find(alice, { repo, number: 1 });
			expect(stored?.record).to.include({ state: "merged", merge_sha: sha, session_id });
		});

		it("that nobody opened here are told when they are merged here, and only then", async () => {
			await records.observed(alice, pull(2), "merged", sha);
			await records.told(pull(2), "merged", sha);
			expect(await told()).to.deep.equal([]);
			for (const _ of [1, 2]) await records.merged(alice, pull(2, { session_id: null, merge_method: "merge" }));
			expect(await told()).to.have.length(1);
		});

		it("that were closed may be opened again elsewhere and merged here", async () => {
			await records.opened(alice, pull(3));
			await records.observed(alice, pull(3), "closed", null);
			expect((await records.find(alice, pull(3)))?.record.state).to.equal("closed");
			await records.merged(alice, pull(3, { merge_method: "merge" }));
			expect((await records.find(alice, pull(3)))?.record.state).to.equal("merged");
		});

		it("belong to their person: others of the tenant do not learn of the session, other tenants of nothing", async () => {
			await records.opened(alice, pull(4), { key: "k", fingerprint: "f" });
			for (const [who, sees] of [
				[alice, true],
				[admin, true],
				[bob, false],
				[foreignAdmin, false],
			] as const) {
				expect((await records.ofSession(who, session_id)) !== undefined, who.id).to.equal(sees);
				expect((await records.sessionsOf(who, repo)).get(4), who.id).to.equal(sees ? session_id : undefined);
			}
			expect(await records.find(foreignAdmin, pull(4))).to.equal(undefined);
			expect((await records.ofKey(alice, "k"))?.fingerprint).to.equal("f");
			for (const who of [bob, admin, foreignAdmin]) expect(await records.ofKey(who, "k")).to.equal(undefined);
			await records.merged(foreignAdmin, pull(4, { session_id: null, merge_method: "merge" }));
			expect((await records.find(alice, pull(4)))?.record.state, "of another tenant").to.equal("open");
		});
	});
}
