/** Profiles and presets on both stores: names, defaults and lists, also of writers in several processes. */
import { expect } from "chai";
import {
	defaultChoiceCollection,
	presetCollection,
	profileCollection,
} from "#services/blueprints/owned/blueprint-collection.ts";
import { type OwnedQuery, OwnedRecords } from "#services/blueprints/owned/owned-records.ts";
import { changedPreset, newPreset, presetKind } from "#services/blueprints/presets/preset-rules.ts";
import { changedProfile, newProfile, profileKind } from "#services/blueprints/profiles/profile-rules.ts";
import { textOf } from "#shared/base/schema/json-text.ts";
import { turnClock } from "#shared/base/clock.ts";
import { type Preset, presetCreate, type PresetUpdate } from "#shared/contracts/blueprints/presets.ts";
import { type Profile, profileCreate, type ProfileUpdate } from "#shared/contracts/blueprints/profiles.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import type { StoredPage } from "#shared/store/pages/stored-page.ts";
import { completed } from "../../support/completed.ts";
import { failureOf } from "../../support/failure-of.ts";
import { startMongodbEndpoint } from "../../support/stores/mongodb-endpoint.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";

const collections = [profileCollection, presetCollection, defaultChoiceCollection];
const alice = { tenant: "acme", id: "alice" };
const bob = { tenant: "acme", id: "bob" };
const stranger = { tenant: "other", id: "alice" };

/** Opens stores over the same documents, each with connections of its own, as several processes have. */
async function openTwice(): Promise<{ stores: DocumentStore[]; discard(): Promise<void> }> {
	const endpoint = await startMongodbEndpoint();
	const stores = [new MongodbStore({ url: endpoint.url }), new MongodbStore({ url: endpoint.url })];
	for (const store of stores) await store.open(collections);
	return {
		stores,
		async discard() {
			for (const store of stores) await store.close();
			await endpoint.close();
		},
	};
}

async function openOnce(): Promise<{ stores: DocumentStore[]; discard(): Promise<void> }> {
	const one = await openEmbedded(collections);
	return { stores: [one.store], discard: () => one.discard() };
}

for (const [engine, open] of [
	["SQLite", openOnce],
	["MongoDB's wire protocol, from two stores", openTwice],
] as const) {
	describe(`profiles and presets on ${engine}`, () => {
		let subject: Awaited<ReturnType<typeof open>>;
		let profiles: OwnedRecords<Profile>[];
		let lists: OwnedRecords<Profile>;
		let turnBack: () => void;

		beforeEach(async () => {
			let now = Date.parse("2026-11-22T10:00:00Z");
			turnBack = turnClock({ now: () => (now += 1_000), monotonic: () => performance.now() });
			subject = await open();
			profiles = subject.stores.map((store) => new OwnedRecords(store, profileKind));
			lists = at(profiles, 0);
		});

		afterEach(async () => {
			turnBack();
			await subject.discard();
		});

		async function create(members: object, owner = alice, key?: string, writer = 0): Promise<Profile> {
			const request = completed(profileCreate, { name: "one", ...members });
			const order = { request, make: () => newProfile(request), key };
			return JSON.parse(await at(profiles, writer).create(owner, order));
		}

		async function change(name: string, update: ProfileUpdate, owner = alice, writer = 0): Promise<Profile> {
			return JSON.parse(await at(profiles, writer).change(owner, name, (profile) => changedProfile(profile, update)));
		}

		async function list(query: Partial<OwnedQuery> = {}, owner = alice): Promise<Profile[]> {
			return itemsOf(await lists.list(owner, { limit: 500, ...query }));
		}

		async function defaults(group?: string): Promise<string[]> {
			return (await list({ group })).filter(({ is_default }) => is_default).map(({ name }) => name);
		}

		it("exist for their owner only, and their names are unique per person", async () => {
			await create({});
			for (const owner of [bob, stranger]) {
				expect(await failureOf(at(profiles, 0).text(owner, "one"))).to.include({ code: 404 });
				expect(await failureOf(change("one", { description: "x" }, owner))).to.include({ code: 404 });
				expect(await failureOf(at(profiles, 0).delete(owner, "one"))).to.include({ code: 404 });
				expect(await at(profiles, 0).launched(owner, "one", "")).to.equal(undefined);
				expect(await list({}, owner)).to.deep.equal([]);
				await create({}, owner);
			}
			expect(await failureOf(create({}))).to.include({ code: 409, type: "NAME_TAKEN" });
			await create({ name: "two" });
			expect(await failureOf(change("two", { name: "one" }))).to.include({ code: 409 });
			expect(await change("two", { name: "three" })).to.include({ name: "three" });
			expect((await list()).map(({ name }) => name)).to.deep.equal(["one", "three"]);
			await at(profiles, 0).delete(alice, "three");
			expect(await failureOf(at(profiles, 0).delete(alice, "three"))).to.include({ code: 404 });
		});

		it("let one of many requests with the same name create it", async () => {
			const attempts = [0, 1, 2, 3, 4, 5].map((n) => create({}, alice, undefined, n % profiles.length));
			const outcomes = await Promise.allSettled(attempts);
			expect(outcomes.filter(({ status }) => status === "fulfilled")).to.have.length(1);
			expect(await list()).to.have.length(1);
		});

		it("are created once by requests with the same key, and become the default once", async () => {
			const body = { name: "keyed", is_default: true };
			const attempts = await Promise.all([0, 1, 2].map((n) => create(body, alice, "key", n % profiles.length)));
			for (const attempt of attempts) expect(attempt).to.include({ name: "keyed", is_default: true });
			expect(await failureOf(create({ name: "other" }, alice, "key"))).to.include({ code: 422 });
			await create({ name: "newer", is_default: true });
			expect(await create(body, alice, "key"), "a late repetition").to.include({ is_default: false });
			expect(await defaults()).to.deep.equal(["newer"]);
		});

		it("keep every member of concurrent changes", async () => {
			await create({});
			const updates: ProfileUpdate[] = [
				{ model: "m" },
				{ description: "d" },
				{ env_vars: { A: "1" } },
				{ system_prompt: "s" },
			];
			await Promise.all(updates.map((update, n) => change("one", update, alice, n % profiles.length)));
			const [kept] = await list();
			expect(kept).to.deep.include({ model: "m", description: "d", env_vars: { A: "1" }, system_prompt: "s" });
		});

		it("have one default per group, whichever of many writers at once is the last", async () => {
			const names = ["a", "b", "c", "d"];
			for (const name of names) await create({ name, workload_type: name === "d" ? "reviewer" : "session" });
			for (let round = 0; round < 5; round++) {
				const outcomes = await Promise.all(
					names.map((name, n) => change(name, { is_default: true }, alice, (n + round) % profiles.length)),
				);
				expect(outcomes.some(({ is_default }) => is_default)).to.equal(true);
				expect(await defaults("session"), `round ${round}`).to.have.length(1);
				expect(await defaults("reviewer")).to.deep.equal(["d"]);
				const launched = await at(profiles, 0).launched(alice, undefined, "session");
				expect([launched?.name]).to.deep.equal(await defaults("session"));
			}
		});

		it("keep the default that another process chooses while a change of something else is under way", async () => {
			await create({ name: "one", is_default: true });
			await create({ name: "two" });
			const meanwhile = (name: string): OwnedRecords<Profile> => {
				const store = beforeUpdates(at(subject.stores, 0), () =>
					change(name, { is_default: true }, alice, profiles.length - 1),
				);
				return new OwnedRecords(store, profileKind);
			};
			const rename = (profile: Profile): Profile => changedProfile(profile, { model: "other" });
			await meanwhile("two").change(alice, "one", rename);
			expect(await defaults()).to.deep.equal(["two"]);
			const answer: Profile = JSON.parse(await meanwhile("two").change(alice, "one", rename));
			expect(answer.is_default).to.equal(false);
			await meanwhile("one").change(alice, "two", rename);
			expect(await defaults()).to.deep.equal(["one"]);
		});

		it("follow their default to another group, and leave none behind", async () => {
			await create({ name: "a", is_default: true });
			await create({ name: "b", workload_type: "reviewer", is_default: true });
			expect(await change("a", { workload_type: "reviewer" })).to.include({ is_default: true });
			expect(await defaults()).to.deep.equal(["a"]);
			expect(await at(profiles, 0).launched(alice, undefined, "session")).to.equal(undefined);
			expect(await change("a", { is_default: false })).to.include({ is_default: false });
			expect(await defaults()).to.deep.equal([]);
			await change("b", { is_default: true });
			await at(profiles, 0).delete(alice, "b");
			expect(await at(profiles, 0).launched(alice, undefined, "reviewer")).to.equal(undefined);
		});

		it("bound the groups that have a default", async () => {
			for (let n = 0; n < 100; n++) await create({ name: `n${n}`, workload_type: `w${n}`, is_default: true });
			const one = create({ name: "more", workload_type: "more", is_default: true });
			expect(await failureOf(one)).to.include({ code: 409, type: "TOO_MANY_DEFAULTS" });
			expect(await failureOf(at(profiles, 0).text(alice, "more")), "nothing is stored").to.include({ code: 404 });
			expect(await create({ name: "again", workload_type: "w1", is_default: true })).to.include({ is_default: true });
		}).timeout(20_000);

		it("are listed page by page, with a tag that also changes with the default", async () => {
			for (const name of ["c", "a", "e", "b", "d"])
				await create({ name, workload_type: name === "e" ? "x" : "session" });
			for (const [query, wanted] of [
				[{}, "abcde"],
				[{ group: "session" }, "abcd"],
				[{ group: "none" }, ""],
			] as const) {
				for (const limit of [1, 2, 5]) {
					let [seen, cursor] = ["", undefined as string | undefined];
					do {
						const page: StoredPage = await lists.list(alice, { ...query, limit, cursor });
						seen += itemsOf(page)
							.map(({ name }) => name)
							.join("");
						cursor = page.next;
					} while (cursor !== undefined);
					expect(seen, JSON.stringify(query)).to.equal(wanted);
				}
			}
			await change("a", { is_default: true });
			const before = await lists.list(alice, { limit: 2 });
			expect((await lists.list(alice, { limit: 2, known: before.etag })).unchanged).to.equal(true);
			await change("d", { is_default: true });
			const after = await lists.list(alice, { limit: 2, known: before.etag });
			expect(after.unchanged).to.equal(undefined);
			expect(itemsOf(after)[0]).to.include({ name: "a", is_default: false });
			for (const cursor of ["", "x", "2.x"])
				expect(await failureOf(lists.list(alice, { limit: 5, cursor }))).to.include({ code: 400 });
		});

		it("have another tag when one was deleted and made again by its key", async () => {
			await create({ name: "a", model: "first" }, alice, "key");
			const { etag } = await lists.list(alice, { limit: 5 });
			await at(profiles, 0).delete(alice, "a");
			await create({ name: "a", model: "second" }, alice, "key");
			const page = await lists.list(alice, { limit: 5, known: etag });
			expect(page.unchanged).to.equal(undefined);
			expect(itemsOf(page).map(({ model }) => model)).to.deep.equal(["second"]);
		});

		it("filter presets by their default, last updated first; null clears a member", async () => {
			const store = at(subject.stores, 0);
			const records = new OwnedRecords(store, presetKind);
			const ids: string[] = [];
			for (const name of ["a", "b", "c"]) {
				const request = completed(presetCreate, { name, cli_tool: "claude", model: "m", is_default: name === "b" });
				const make = (id: string, time: string): Preset => newPreset(request, id, time);
				ids.push((JSON.parse(await records.create(alice, { request, make })) as Preset).id);
			}
			const update = async (id: string, one: PresetUpdate): Promise<Preset> =>
				JSON.parse(await records.change(alice, id, (preset, time) => changedPreset(preset, one, time)));
			const [a = "", b = ""] = ids;
			expect(await update(a, { model: null, cli_tool: null })).to.include({ model: null, cli_tool: "", name: "a" });
			expect(await update(b, {})).to.include({ model: "m", is_default: true });
			expect(await failureOf(update(b, { name: null }))).to.include({ code: 422 });
			expect(await failureOf(records.text(bob, b))).to.include({ code: 404 });
			const names = async (query: Partial<OwnedQuery>) =>
				(JSON.parse(textOf((await records.list(alice, { limit: 10, ...query })).items)) as Preset[])
					.map(({ name }) => name)
					.join("");
			expect(await names({})).to.equal("bac");
			expect(await names({ isDefault: true })).to.equal("b");
			expect(await names({ isDefault: false })).to.equal("ac");
			expect(await names({ group: "claude" })).to.equal("bc");
		});
	});
}

/** Returns the store, which acts before its first update, as a process does that is a moment faster. */
function beforeUpdates(store: DocumentStore, act: () => Promise<unknown>): DocumentStore {
	let acted: Promise<unknown> | undefined;
	const update: DocumentStore["update"] = async (...args) => {
		await (acted ??= act());
		return store.update(...args);
	};
	return new Proxy(store, {
		get(real, name) {
			const value: unknown = name === "update" ? update : Reflect.get(real, name);
			return typeof value === "function" ? value.bind(real) : value;
		},
	});
}

function itemsOf({ items }: StoredPage): Profile[] {
	return JSON.parse(textOf(items));
}

function at<T>(list: readonly T[], index: number): T {
	return list[index] ?? expect.fail(`There is no ${index}`);
}
