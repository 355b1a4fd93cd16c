import { expect } from "chai";
import { textOf } from "#shared/base/schema/json-text.ts";
import { randomUUID } from "node:crypto";
import { historyChunkCollection, historyCollection } from "#services/sessions/history/history-collections.ts";
import { chronicleCollections } from "#services/sessions/chronicles/compose-chronicles.ts";
import { ChronicleRecords } from "#services/sessions/chronicles/chronicle-records.ts";
import { SessionChronicles } from "#services/sessions/chronicles/session-chronicles.ts";
import { Timelines } from "#services/sessions/chronicles/timelines.ts";
import { HistoryReports } from "#services/sessions/history/history-reports.ts";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { IdempotencyRecords } from "#services/sessions/commands/idempotency-records.ts";
import { sessionEventCollection } from "#services/sessions/raw-events/session-event-collection.ts";
import { SessionEventRecords } from "#services/sessions/raw-events/session-event-records.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionHistory } from "#services/sessions/history/session-history.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { SessionErasure } from "#services/sessions/history/session-erasure.ts";
import type { Principal } from "#shared/base/principal.ts";
import { NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { failureOf } from "../../support/failure-of.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";
import { workspacesOver } from "../../support/workspaces/test-workspaces.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";

describe("HistoryReports", () => {
	let opened: StoreUnderTest;
	let store: DocumentStore;
	let records: SessionRecords;
	let pod: Principal;
	const nothing = { logs: [], turns: [], timeline: [], events: [] };
	const logs = [{ timestamp: 1.5, level: "INFO", message: "late" }];

	before(async () => {
		opened = await openEmbedded([
			sessionCollection,
			workspaceCollection,
			historyCollection,
			historyChunkCollection,
			idempotencyRecordCollection,
			...chronicleCollections,
			sessionEventCollection,
		]);
		store = opened.store;
		records = new SessionRecords(store, () => {});
	});
	beforeEach(async () => {
		const id = randomUUID();
		pod = { kind: "pod", id, tenant: "", roles: [], generation: 1 };
		await store.insert(sessionCollection, { id, wire: JSON.stringify({ id, generation: 1 }), status: "running" });
	});
	after(() => opened.discard());

	function reportsOver(over: DocumentStore): HistoryReports {
		const history = new SessionHistory(over);
		const chronicles = new SessionChronicles(new ChronicleRecords(over, () => {}), new Timelines(over, () => {}));
		const events = new SessionEventRecords(over);
		const erasure = new SessionErasure({
			history,
			chronicles,
			events,
			idempotency: new IdempotencyRecords(over),
			workspaces: workspacesOver(over),
		});
		return new HistoryReports({ records, history, chronicles, events, erasure });
	}

	async function chunks(): Promise<number> {
		return store.count(historyChunkCollection, "in_order", { equals: [pod.id, "log"] });
	}

	it("leave nothing of a session that was erased while its report was written", async () => {
		const erasing = new Proxy(store, {
			get(target, name) {
				const member: unknown = Reflect.get(target, name);
				if (typeof member !== "function") return member;
				return async (...args: unknown[]) => {
					if (name === "insert" && args[0] === historyCollection) await target.remove(sessionCollection, pod.id, {});
					return Reflect.apply(member, target, args);
				};
			},
		});
		const reports = reportsOver(erasing);
		const failure = await failureOf(reports.take(pod, pod.id, { ...nothing, n: 1, logs }));
		expect(failure).to.be.instanceOf(NotFoundError);
		expect(await chunks()).to.equal(0);
		expect(await store.get(historyCollection, pod.id)).to.equal(undefined);
	});

	it("keep lines of the log within a length, and nothing that a terminal would obey (X7)", async () => {
		const message = `\u001b[2J\u001b]0;owned\u0007\u001b[31mred\u001b[0m\r\n${"x".repeat(100_000)}`;
		await reportsOver(store).take(pod, pod.id, {
			...nothing,
			n: 1,
			logs: [{ timestamp: 1, level: "\u001b[2J", message }],
		});
		const [line] = (await new SessionHistory(store).logs(pod.id)) ?? [];
		expect(line?.level).to.equal("[2J");
		expect(line?.message)
			.to.match(/^red\nx+$/)
			.and.have.length.within(8_000, 8_192);
	});

	it("refuse a piece of a patch that is none of its pieces, or too large", async () => {
		const reports = reportsOver(store);
		const piece = { id: "p", piece: 0, pieces: 1, text: "x", truncated: false };
		for (const diff of [
			{ ...piece, piece: 1 },
			{ ...piece, text: "€".repeat(100_000) },
		]) {
			const failure = await failureOf(reports.take(pod, pod.id, { ...nothing, n: 1, diff }));
			expect(failure).to.be.instanceOf(UnprocessableError);
		}
	});

	it("keep what is good of a report, though one of its entries is not (a batch never fails for one of its members)", async () => {
		const at = "2026-11-20T20:00:00.000Z";
		const session = { id: pod.id, generation: 1, created_at: at, name: "a", repo: "", branch: "", budget: {} };
		await store.update(sessionCollection, pod.id, {}, { wire: JSON.stringify(session), set: { launch: {} } });
		const entry = { type: "session", label: "good" } as const;
		const event = { event_type: "error", timestamp: at, data: {}, sequence: 1 };
		await reportsOver(store).take(pod, pod.id, {
			...nothing,
			n: 1,
			logs,
			timeline: [
				{ ...entry, label: "bad", at: "never" },
				{ ...entry, at },
			],
			events: [{ ...event, event_type: "unheard-of" }, { ...event, timestamp: "never" }, event],
		});
		expect(await chunks()).to.equal(1);
		const kept = await new SessionEventRecords(store).page(pod.id, { limit: 10, offset: 0 });
		expect((JSON.parse(textOf(kept.items)) as { sequence: number }[]).map(({ sequence }) => sequence)).to.deep.equal([
			1,
		]);
		const chronicle = await new ChronicleRecords(store, () => {}).newest(pod.id);
		const { events } = await new Timelines(store, () => {}).read(chronicle?.id ?? "");
		expect(events.map(({ label }) => label)).to.deep.equal(["good"]);
	});

	it("write nothing for a report that only asks", async () => {
		const reports = reportsOver(store);
		await reports.take(pod, pod.id, { ...nothing, n: 0 });
		expect(await store.get(historyCollection, pod.id)).to.equal(undefined);
	});
});
