/** Chronicles and timelines over real stores: each report counts once, with races and interruptions. */
import { bound } from "#shared/base/bounds.ts";
import { expect } from "chai";
import { textOf } from "#shared/base/schema/json-text.ts";
import { randomUUID } from "node:crypto";
import { purgeChronicles } from "#services/sessions/chronicles/chronicle-purge.ts";
import {
	chronicleCollection,
	type ChronicleDocument,
	timelineChunkCollection,
	timelineCollection,
} from "#services/sessions/chronicles/chronicle-collections.ts";
import { chronicleOf, ChronicleRecords } from "#services/sessions/chronicles/chronicle-records.ts";
import { chronicleCollections } from "#services/sessions/chronicles/compose-chronicles.ts";
import { SessionChronicles } from "#services/sessions/chronicles/session-chronicles.ts";
import { Timelines } from "#services/sessions/chronicles/timelines.ts";
import { sessionEventCollection } from "#services/sessions/raw-events/session-event-collection.ts";
import { eventOf, SessionEventRecords } from "#services/sessions/raw-events/session-event-records.ts";
import type { SessionRecord } from "#services/sessions/record/session-change.ts";
import { systemPrincipal } from "#shared/base/principal.ts";
import type { TimelineEntry } from "#shared/contracts/sessions/chronicles.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { OutboxEntry } from "#shared/store/port/documents.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { storeEngines } from "../../support/stores/open-stores.ts";
import { sessionRecord } from "../../support/platform/session-record.ts";
import { alice } from "../../support/bus/test-brokers.ts";

const collections = [...chronicleCollections, sessionEventCollection];
const writer = { principal: systemPrincipal("t") };

function entry(label: string, t = 0): TimelineEntry {
	return { t, type: "file", label, action: "created", ins: 1, del: 0 };
}

for (const [engine, open] of Object.entries(storeEngines(collections))) {
	describe(`chronicles on ${engine}`, function () {
		this.timeout(60_000);
		let opened: StoreUnderTest;
		let store: DocumentStore;
		let records: ChronicleRecords;
		let timelines: Timelines;
		let chronicles: SessionChronicles;
		let session: SessionRecord;

		before(async () => {
			opened = await open();
			store = opened.store;
			records = new ChronicleRecords(store, () => {});
			timelines = new Timelines(store, () => {});
			chronicles = new SessionChronicles(records, timelines);
		});
		after(() => opened.discard());
		beforeEach(() => {
			session = sessionNamed(randomUUID());
		});

		function sessionNamed(id: string): SessionRecord {
			const known = { name: "test", model: "m", repo: "https://host/x/project.git", branch: "main", tokens_used: 5 };
			const budget = { limit: null, spent: 0.25, reserved: 0, paused: false, reason: null };
			return sessionRecord({ order: { id, principal: { ...alice, id: "ada" } }, members: { ...known, budget } });
		}

		async function outbox(of: typeof chronicleCollection | typeof timelineCollection, id: string) {
			const found = await store.outbox(of, 500);
			return found.find((one) => one.id === id)?.entries ?? [];
		}

		async function newest(): Promise<ChronicleDocument> {
			return chronicles.newest(session.session.id);
		}

		it("tell the totals once for a report, however many entries it has (X4)", async () => {
			const files = Array.from({ length: 50 }, (_one, n) => entry(`${n}-${"x".repeat(200)}`));
			await chronicles.addEntries(writer, session, files);
			await chronicles.addEntries(writer, session, files);
			const told = await outbox(timelineCollection, (await newest()).id);
			expect(told).to.have.length(100);
			const totals = told.map(({ data }) => (JSON.parse(data) as { files: unknown[] }).files.length);
			expect(totals.filter((each) => each > 0)).to.deep.equal([50, 50]);
			expect(totals.at(-1)).to.equal(50);
			const bytes = told.reduce((sum, { data }) => sum + data.length, 0);
			expect(bytes).to.be.below(100_000);
		});

		it("learns the branch that its session has found since the draft began", async () => {
			const early: SessionRecord = { ...session, session: { ...session.session, branch: "" } };
			await chronicles.addEntries(writer, early, [entry("a")]);
			expect(chronicleOf(await newest()).branch).to.equal("");
			await chronicles.addEntries(writer, session, [entry("b")]);
			expect(chronicleOf(await newest())).to.deep.include({ branch: "main", status: "draft" });
			expect(chronicleOf(await newest()).config_snapshot).to.include({ branch: "main" });
		});

		it("begins one draft for concurrent reports", async () => {
			const entries = Array.from({ length: 8 }, (_one, n) => entry(`${n}`));
			await Promise.all(entries.map((one) => chronicles.addEntries(writer, session, [one])));
			const { id } = await newest();
			const { events, files } = await timelines.read(id);
			expect(events.map(({ label }) => label)).to.have.members(entries.map(({ label }) => label));
			expect(files).to.have.length(8);
			const told = await outbox(timelineCollection, id);
			expect(told.map(({ n }: OutboxEntry) => n)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
			expect(JSON.parse(told.at(-1)?.data ?? "")).to.deep.include({ session_id: session.session.id, files });
		});

		it("accepts each numbered report once, also when several processes receive it", async () => {
			const report = { launch: 1, n: 3 };
			const adding = () => chronicles.addEntries(writer, session, [entry("a"), entry("b")], report);
			await Promise.all([adding(), adding(), adding()]);
			await chronicles.addEntries(writer, session, [entry("old")], { launch: 1, n: 2 });
			await chronicles.addEntries(writer, session, [entry("other launch")], { launch: 2, n: 1 });
			const { events } = await timelines.read((await newest()).id);
			expect(events.map(({ label }) => label)).to.deep.equal(["a", "b", "other launch"]);
			await chronicles.report(writer, session, { summary: "first" }, { launch: 1, n: 4 });
			await records.change(writer, (await newest()).id, () => ({
				members: { summary: "by hand" },
			}));
			await chronicles.report(writer, session, { summary: "first" }, { launch: 1, n: 4 });
			expect(chronicleOf(await newest()).summary, "a report that comes again").to.equal("by hand");
		});

		it("completes a draft, and begins another one when the newest is complete", async () => {
			await chronicles.addEntries(writer, session, [entry("a")]);
			const draft = await newest();
			const report = { summary: "Done", key_changes: null, duration_seconds: 7 };
			const reported = chronicleOf(await chronicles.report(writer, session, report));
			expect(reported).to.deep.include({
				id: draft.id,
				summary: "Done",
				key_changes: [],
				project: "project",
				cost: 0.25,
			});
			await records.change(writer, draft.id, () => ({
				members: { status: "complete" },
			}));
			const next = chronicleOf(await chronicles.report(writer, session, { summary: "More" }));
			expect(next.id).to.not.equal(draft.id);
			expect(next.created_at > reported.created_at).to.equal(true);
			expect((await newest()).id).to.equal(next.id);
			const told = await outbox(chronicleCollection, draft.id);
			expect(told.map(({ type }) => type)).to.deep.equal([
				"chronicle_created",
				"chronicle_updated",
				"chronicle_updated",
			]);
		});

		it("keeps the newest 2,000 entries with a mark, and the totals of all", async () => {
			let last: OutboxEntry | undefined;
			for (let from = 0; from < 2_500; from += 50) {
				const entries = Array.from({ length: 50 }, (_one, n) => entry(`${(from + n) % 700}`, from + n));
				await chronicles.addEntries(writer, session, entries);
				const { id } = await newest();
				last = (await outbox(timelineCollection, id)).at(-1);
				await store.trimOutbox(timelineCollection, id, last?.n ?? 0);
			}
			const { id } = await newest();
			const { events, files, truncated, token_burn } = await timelines.read(id);
			expect(events.length).to.be.within(1_800, 2_000);
			expect(events.map(({ t }) => t)).to.deep.equal(events.map((_one, n) => 2_500 - events.length + n));
			expect([files.length, truncated, token_burn.length]).to.deep.equal([700, true, 9]);
			expect(files.reduce((sum, { ins }) => sum + ins, 0)).to.equal(2_500);
			const chunks = await store.count(timelineChunkCollection, "of_chronicle", { equals: [id] });
			expect(chunks, "what is not shown is not kept").to.be.below(21);
			expect(JSON.parse(last?.data ?? "")).to.deep.include({ truncated: true, files: [] });
		});

		it("removes everything of a deleted one after its last event was relayed", async () => {
			await chronicles.addEntries(
				writer,
				session,
				Array.from({ length: 150 }, (_one, n) => entry(`${n}`)),
			);
			const draft = await newest();
			await chronicles.remove(draft);
			await chronicles.remove(draft);
			expect(await records.find({ kind: "user", id: "ada", tenant: "acme", roles: [] }, draft.id)).to.equal(undefined);
			await purgeChronicles({ store, records, timelines }, 0);
			const left = await outbox(chronicleCollection, draft.id);
			expect(left.map(({ type }) => type)).to.deep.equal(["chronicle_created", "chronicle_deleted"]);
			for (const { id } of await store.outbox(chronicleCollection, 500))
				await store.trimOutbox(chronicleCollection, id, 99);
			await purgeChronicles({ store, records, timelines }, 0);
			expect(await store.get(chronicleCollection, draft.id)).to.equal(undefined);
			expect(await store.get(timelineCollection, draft.id)).to.equal(undefined);
			expect(await store.count(timelineChunkCollection, "of_chronicle", { equals: [draft.id] })).to.equal(0);
		});

		it("removes everything of a deleted one while 500 others wait (L13)", async () => {
			await chronicles.addEntries(writer, session, [entry("a")]);
			const draft = await newest();
			await chronicles.remove(draft);
			await store.trimOutbox(chronicleCollection, draft.id, 99);
			const told = (n: number) => [{ n, type: "chronicle_updated", data: "{}", audience: { tenant: "t" }, at: n }];
			const crowd = Array.from({ length: 500 }, (_one, n) => ({ id: `waiting-${n}`, wire: "{}" }));
			// The sessions are made one by one, because so many at once are too much for a store on a busy machine.
			for (const one of crowd) await store.insert(chronicleCollection, one, told(1));
			await purgeChronicles({ store, records, timelines }, 0);
			await store.removeMany(
				chronicleCollection,
				crowd.map(({ id }) => id),
			);
			expect(await store.get(chronicleCollection, draft.id)).to.equal(undefined);
		});

		it("outlives its session, or is deleted with it", async () => {
			const other = sessionNamed(randomUUID());
			for (const one of [session, other]) await chronicles.addEntries(writer, one, [entry("a")]);
			const [kept, gone] = [await newest(), await chronicles.newest(other.session.id)];
			await chronicles.sessionDeleted(session.session.id, "keep");
			await chronicles.sessionDeleted(other.session.id, "remove");
			const user = { kind: "user", id: "ada", tenant: "acme", roles: [] } as const;
			expect(chronicleOf(await records.get(user, kept.id)).session_id).to.equal(null);
			expect(await store.get(timelineCollection, kept.id)).to.equal(undefined);
			expect(await records.find(user, gone.id)).to.equal(undefined);
			expect(await records.newest(session.session.id)).to.equal(undefined);
		});

		it("keeps the newest 5,000 raw events of a session", async () => {
			const events = new SessionEventRecords(store);
			const id = session.session.id;
			const used = { session_id: id, event_type: "tool_use", timestamp: "2026-11-21T10:00:00Z", data: {} };
			const make = (sequence: number) => eventOf(randomUUID(), { ...used, sequence });
			const first = make(0);
			await events.add(id, [first]);
			await events.add(id, [first]);
			expect(await events.counts(id)).to.deep.equal({ tool_use: 1 });
			await events.add(
				id,
				Array.from({ length: bound.rawEvents + 9 }, (_one, n) => make(n + 1)),
			);
			expect(await events.counts(id)).to.deep.equal({ tool_use: bound.rawEvents });
			const query = { limit: 2_000, offset: 0 };
			const pages = [await events.page(id, query)];
			for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next)
				pages.push(await events.page(id, { ...query, cursor: next }));
			const sequences = pages.flatMap(({ items }) =>
				(JSON.parse(textOf(items)) as { sequence: number }[]).map(({ sequence }) => sequence),
			);
			expect(sequences).to.deep.equal(Array.from({ length: bound.rawEvents }, (_one, n) => n + 10));
			await events.removeAll(id);
			expect(await events.counts(id)).to.deep.equal({});
		});
	});
}
