/** Saved prompts on both stores: records, lists and the search, as the service uses them. */
import { expect } from "chai";
import { promptCollection } from "#services/blueprints/prompts/prompt-collection.ts";
import { PromptRecords } from "#services/blueprints/prompts/prompt-records.ts";
import type { Principal } from "#shared/base/principal.ts";
import { textOf } from "#shared/base/schema/json-text.ts";
import { turnClock } from "#shared/base/clock.ts";
import type { Prompt, PromptCreate } from "#shared/contracts/blueprints/prompts.ts";
import type { StoredPage } from "#shared/store/pages/stored-page.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { failureOf } from "../../support/failure-of.ts";
import { openEmbedded, openOnEndpoint } from "../../support/stores/open-stores.ts";

const alice: Principal = { kind: "user", id: "alice", tenant: "acme", roles: [] };
const bob: Principal = { ...alice, id: "bob" };
const admin: Principal = { ...alice, id: "eve", roles: ["admin"] };
const stranger: Principal = { ...admin, tenant: "other" };

const shop = "https://git.example/org/shop";

for (const [engine, open] of [
	["SQLite", openEmbedded],
	["MongoDB's wire protocol", openOnEndpoint],
] as const) {
	describe(`prompts on ${engine}`, () => {
		let subject: StoreUnderTest;
		let records: PromptRecords;
		let turnBack: () => void;

		beforeEach(async () => {
			let now = Date.parse("2026-11-22T10:00:00Z");
			turnBack = turnClock({ now: () => (now += 1_000), monotonic: () => performance.now() });
			subject = await open([promptCollection]);
			records = new PromptRecords(subject.store);
		});

		afterEach(async () => {
			turnBack();
			await subject.discard();
		});

		async function create(members: Partial<PromptCreate> = {}, key?: string, who = alice): Promise<Prompt> {
			const least: PromptCreate = { name: "a name", content: "some content", scope: "global", tags: [] };
			return JSON.parse(await records.create(who, { ...least, ...members }, key));
		}

		async function change(who: Principal, id: string, update: Partial<PromptCreate>): Promise<Prompt> {
			return JSON.parse(await records.change(who, id, update));
		}

		function namesOf({ items }: StoredPage): string[] {
			return (JSON.parse(textOf(items)) as Prompt[]).map(({ name }) => name);
		}

		async function found(q: string, who = alice): Promise<string[]> {
			return namesOf(await records.search(who, q, { limit: 10 }));
		}

		it("are read by everybody of the tenant, changed by their creator, and deleted by administrators too (Q11)", async () => {
			const { id } = await create({ name: "hers" });
			expect(namesOf(await records.list(bob, { limit: 10 }))).to.deep.equal(["hers"]);
			expect(await found("HERS", bob)).to.deep.equal(["hers"]);
			expect(namesOf(await records.list(stranger, { limit: 10 }))).to.deep.equal([]);
			expect(await found("hers", stranger)).to.deep.equal([]);
			for (const [who, code] of [
				[bob, 403],
				[stranger, 404],
			] as const) {
				expect(await failureOf(records.change(who, id, { name: "his" }))).to.include({ code });
				expect(await failureOf(records.delete(who, id))).to.include({ code });
			}
			const refused = await failureOf(records.change(admin, id, { content: "Print every variable" }));
			expect(refused).to.include({ code: 403, type: "PROMPT_OF_ANOTHER" });
			expect(await change(alice, id, { name: "still hers" })).to.include({
				name: "still hers",
				content: "some content",
			});
			await records.delete(admin, id);
			expect(await failureOf(records.delete(alice, id))).to.include({ code: 404 });
		});

		it("keep every member of concurrent changes", async () => {
			const { id } = await create();
			const updates: Partial<PromptCreate>[] = [
				{ name: "another" },
				{ content: "other words" },
				{ tags: ["x"] },
				{ scope: "project", project_repo: shop },
			];
			await Promise.all(updates.map((update) => records.change(alice, id, update)));
			const [kept] = JSON.parse(textOf((await records.list(alice, { limit: 1 })).items)) as Prompt[];
			expect(kept).to.deep.include({
				name: "another",
				content: "other words",
				tags: ["x"],
				scope: "project",
				project_repo: shop,
			});
		});

		it("are created once by requests with the same key, also at once", async () => {
			const attempts = await Promise.all([1, 2, 3].map(() => create({ name: "once" }, "key")));
			expect(new Set(attempts.map(({ id }) => id)).size).to.equal(1);
			expect(namesOf(await records.list(alice, { limit: 10 }))).to.deep.equal(["once"]);
			expect(await failureOf(create({ name: "other" }, "key"))).to.include({
				code: 422,
				type: "IDEMPOTENCY_KEY_REUSED",
			});
			await create({ name: "his" }, "key", bob);
			expect(namesOf(await records.list(alice, { limit: 10 }))).to.deep.equal(["his", "once"]);
		});

		it("are listed by scope and repository, last updated first, page by page", async () => {
			const first = await create({ name: "global" });
			await create({ name: "shop", scope: "project", project_repo: `${shop}.git` });
			await create({ name: "other", scope: "project", project_repo: "https://git.example/org/other" });
			await create({ name: "second global" });
			await change(alice, first.id, { tags: ["new"] });
			for (const [query, wanted] of [
				[{}, ["global", "second global", "other", "shop"]],
				[{ scope: "global" }, ["global", "second global"]],
				[{ scope: "project" }, ["other", "shop"]],
				[{ repo: "git@git.example:org/shop.git" }, ["global", "second global", "shop"]],
				[{ repo: shop, scope: "project" }, ["shop"]],
				[{ repo: shop, scope: "global" }, ["global", "second global"]],
			] as const) {
				for (const limit of [1, 2, 10]) {
					const seen: string[] = [];
					let cursor: string | undefined;
					do {
						const page: StoredPage = await records.list(alice, { ...query, limit, cursor });
						seen.push(...namesOf(page));
						cursor = page.next;
					} while (cursor !== undefined);
					expect(seen, JSON.stringify(query)).to.deep.equal(wanted);
				}
				const { etag } = await records.list(alice, { ...query, limit: 10 });
				expect((await records.list(alice, { ...query, limit: 10, known: etag })).unchanged).to.equal(true);
			}
		});

		it("give another tag after a change, and refuse a cursor of others", async () => {
			const { id } = await create();
			const pages = () => [
				records.list(alice, { limit: 5 }),
				records.list(alice, { limit: 5, repo: shop }),
				records.search(alice, "name", { limit: 5 }),
			];
			const before = (await Promise.all(pages())).map(({ etag }) => etag);
			await change(alice, id, { tags: ["x"] });
			for (const [index, { etag }] of (await Promise.all(pages())).entries()) expect(etag).to.not.equal(before[index]);
			for (const cursor of ["", "x", "2.x"]) {
				expect(await failureOf(records.list(alice, { limit: 5, cursor }))).to.include({ code: 400 });
				expect(await failureOf(records.list(alice, { limit: 5, cursor, repo: shop }))).to.include({ code: 400 });
				expect(await failureOf(records.search(alice, "name", { limit: 5, cursor }))).to.include({ code: 400 });
			}
		});

		it("are found in any case, hits in the name first, by their present texts", async () => {
			const { id } = await create({ name: "GRÖSSER", content: "Ein Wort" });
			await create({ name: "other", content: "wird größer als 100%" });
			await create({ name: "third", content: "Wortlos, grösser" });
			expect(await found("gröss")).to.deep.equal(["GRÖSSER", "third"]);
			expect(await found("WORT")).to.deep.equal(["third", "GRÖSSER"]);
			const first = await records.search(alice, "wort", { limit: 1 });
			const rest = await records.search(alice, "wort", { limit: 1, cursor: first.next });
			expect([first, rest].map(namesOf)).to.deep.equal([["third"], ["GRÖSSER"]]);
			expect(await found("%")).to.deep.equal(["other"]);
			await change(alice, id, { name: "renamed", content: "Satz" });
			expect(await found("wort")).to.deep.equal(["third"]);
			expect(await found("Sa")).to.deep.equal(["renamed"]);
		});
	});
}
