/** The bound of raw events: the oldest are removed, and reports do not count all events of their session. */
import { bound } from "#shared/base/bounds.ts";
import { expect } from "chai";
import { sessionEventCollection } from "#services/sessions/raw-events/session-event-collection.ts";
import { SessionEventRecords } from "#services/sessions/raw-events/session-event-records.ts";
import type { SessionEvent } from "#shared/contracts/sessions/session-events.ts";
import { type DocumentStore, documentStoreMethods } from "#shared/store/document-store.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";

function eventsFrom(from: number, count: number): SessionEvent[] {
	const measures = { tokens_in: null, tokens_out: null, cost: null, duration_ms: null, model: null };
	return Array.from({ length: count }, (_, n) => ({
		id: `e${from + n}`,
		session_id: "s",
		event_type: "message_user" as const,
		timestamp: "2026-11-23T00:00:00Z",
		data: {},
		sequence: from + n,
		...measures,
	}));
}

describe("raw events of a session", function () {
	this.timeout(60_000);

	it("are at most 5,000, of which few reports count all", async () => {
		const opened = await openEmbedded([sessionEventCollection]);
		const { store } = opened;
		let counted = 0;
		const counting: DocumentStore["count"] = (...args) => {
			counted++;
			return store.count(...args);
		};
		const methods = documentStoreMethods.map((name) => [name, store[name].bind(store)]);
		const own = Object.fromEntries(methods) as unknown as DocumentStore;
		const records = new SessionEventRecords({ ...own, isShared: false, count: counting });
		const kept = () => store.count(sessionEventCollection, "in_order", { equals: ["s"] });
		for (let from = 0; from < bound.rawEvents; from += 500) await records.add("s", eventsFrom(from, 500));
		counted = 0;
		for (let n = 0; n < 100; n++) await records.add("s", eventsFrom(bound.rawEvents + n, 1));
		expect(counted).to.be.at.most(1);
		expect(await kept()).to.equal(bound.rawEvents);
		await records.add("s", eventsFrom(bound.rawEvents, 1));
		expect(await kept(), "a repeated event adds nothing").to.equal(bound.rawEvents);
		await new SessionEventRecords(store).add("s", eventsFrom(bound.rawEvents + 100, 40));
		await records.add("s", eventsFrom(bound.rawEvents + 140, 300));
		expect(await kept()).to.equal(bound.rawEvents);
		const { documents } = await store.find(sessionEventCollection, "in_order", { equals: ["s"] }, { limit: 1 });
		expect(documents[0]?.sequence, "the oldest are gone").to.equal(440);
		await opened.discard();
	});
});
