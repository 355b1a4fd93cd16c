import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { historyChunkCollection, historyCollection } from "#services/sessions/history-collections.ts";
import { HistoryReports } from "#services/sessions/history-reports.ts";
import { sessionCollection } from "#services/sessions/session-collection.ts";
import { SessionHistory } from "#services/sessions/session-history.ts";
import { SessionRecords } from "#services/sessions/session-records.ts";
import type { Principal } from "#shared/bus/principal.ts";
import { NotFoundError, UnprocessableError } from "#shared/errors.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { openEmbedded } from "../../../support/open-stores.ts";

describe("HistoryReports", () => {
	let opened: StoreUnderTest;
	let store: DocumentStore;
	let records: SessionRecords;
	let pod: Principal;
	const logs = [{ timestamp: 1.5, level: "INFO", message: "late" }];

	before(async () => {
		opened = await openEmbedded([sessionCollection, historyCollection, historyChunkCollection]);
		store = opened.store;
		records = new SessionRecords(store, () => {});
	});
	beforeEach(async () => {
		const id = randomUUID();
		pod = { kind: "pod", id, tenant: "", roles: [], generation: 1 };
		await store.insert(sessionCollection, { id, wire: JSON.stringify({ id, generation: 1 }), status: "running" });
	});
	after(() => opened.discard());

	async function chunks(): Promise<number> {
		return store.count(historyChunkCollection, "in_order", { equals: [pod.id, "log"] });
	}

	it("leave nothing of a session that was buried while its report was written", async () => {
		const burying = new Proxy(store, {
			get(target, name) {
				const member: unknown = Reflect.get(target, name);
				if (typeof member !== "function") return member;
				return async (...args: unknown[]) => {
					if (name === "insert" && args[0] === historyCollection) await target.remove(sessionCollection, pod.id, {});
					return Reflect.apply(member, target, args);
				};
			},
		});
		const reports = new HistoryReports(records, new SessionHistory(burying));
		const failure = await failureOf(reports.take(pod, pod.id, { n: 1, logs, turns: [] }));
		expect(failure).to.be.instanceOf(NotFoundError);
		expect(await chunks()).to.equal(0);
		expect(await store.get(historyCollection, pod.id)).to.equal(undefined);
	});

	it("refuse a piece of a patch that is none of its pieces, or too large", async () => {
		const reports = new HistoryReports(records, new SessionHistory(store));
		const piece = { id: "p", piece: 0, pieces: 1, text: "x", truncated: false };
		for (const diff of [
			{ ...piece, piece: 1 },
			{ ...piece, text: "€".repeat(100_000) },
		]) {
			const failure = await failureOf(reports.take(pod, pod.id, { n: 1, logs: [], turns: [], diff }));
			expect(failure).to.be.instanceOf(UnprocessableError);
		}
	});

	it("write nothing for a report that only asks", async () => {
		const reports = new HistoryReports(records, new SessionHistory(store));
		await reports.take(pod, pod.id, { n: 0, logs: [], turns: [] });
		expect(await store.get(historyCollection, pod.id)).to.equal(undefined);
	});
});
