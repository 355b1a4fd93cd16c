import { expect } from "chai";
import { IdempotencyRecords } from "#services/sessions/commands/idempotency-records.ts";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { sessionCollection, type SessionDocument } from "#services/sessions/record/session-collection.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { StoppedSessions } from "#services/sessions/commands/stopped-sessions.ts";
import { bound } from "#shared/base/bounds.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import { BadRequestError, UnprocessableError } from "#shared/base/errors.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { openEmbedded } from "../../../support/stores/open-stores.ts";
import { alice } from "../../../support/bus/test-brokers.ts";

/** A session that was created so many milliseconds after the first. */
function stoppedSession(n: number): SessionDocument {
	const created_at = isoTime(1_700_000_000_000 + n);
	const wire = JSON.stringify({ name: "old", rev: 1, status: "stopped", generation: 1, budget: { limit: null } });
	const columns = { tenant: alice.tenant, owner: alice.id, shelf: "active", status: "stopped", rev: 1, created_at };
	return { id: timeBasedUuid(now()), wire, ...columns };
}

describe("StoppedSessions", () => {
	let opened: StoreUnderTest;
	let records: SessionRecords;
	let stopped: StoppedSessions;

	beforeEach(async () => {
		opened = await openEmbedded([sessionCollection, workspaceCollection, idempotencyRecordCollection]);
		records = new SessionRecords(opened.store, () => {});
		stopped = new StoppedSessions(records, new IdempotencyRecords(opened.store));
	});
	afterEach(() => opened.discard());

	/** The newest sessions come first. */
	async function insert(count: number): Promise<string[]> {
		const documents = Array.from({ length: count }, (_one, n) => stoppedSession(n));
		await opened.store.append(sessionCollection, documents);
		return documents.map(({ id }) => id).toReversed();
	}

	function leftStopped(): Promise<number> {
		return opened.store.count(sessionCollection, "owner_status", { equals: [alice.tenant, alice.id, "stopped"] });
	}

	it("archives 200 per call and names the next call, with a key and without (M13)", async () => {
		const ids = await insert(450);
		const first = await stopped.archive({ principal: alice });
		expect(first.items).to.deep.equal(ids.slice(0, 200));
		expect(await leftStopped()).to.equal(250);
		const second = await stopped.archive({ principal: alice, key: "k" }, first.next);
		expect(second.items).to.deep.equal(ids.slice(200, 400));
		expect(await stopped.archive({ principal: alice, key: "k" }, first.next)).to.deep.equal(second);
		const otherPage = failureOf(stopped.archive({ principal: alice, key: "k" }, second.next));
		expect(await otherPage).to.be.instanceOf(UnprocessableError);
		// A client that ignores pages gets all sessions by repeated calls.
		expect(await stopped.archive({ principal: alice })).to.deep.equal({ items: ids.slice(400) });
		expect(await leftStopped()).to.equal(0);
	});

	it("archives the others when one cannot be archived now (M13)", async () => {
		const ids = await insert(3);
		const [, busy = ""] = ids;
		const renamed = () => ({ at: now(), members: { name: "a" }, columns: {}, event: "session_updated" }) as const;
		// One change is under way until this test lets it end, and as many wait as may.
		const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
		const { store } = opened;
		const update = store.update.bind(store);
		store.update = async (collection, id, ...rest) => {
			if (id === busy) await isOver;
			return update(collection, id, ...rest);
		};
		const length = bound.changesOfOneObject + 1;
		const changes = Array.from({ length }, () => records.change(alice, busy, renamed));
		const { items } = await stopped.archive({ principal: alice });
		expect(items).to.deep.equal(ids.filter((id) => id !== busy));
		end();
		await Promise.all(changes);
		expect(await leftStopped()).to.equal(1);
	});

	it("refuses a cursor that is not ours", async () => {
		expect(await failureOf(stopped.archive({ principal: alice }, "x"))).to.be.instanceOf(BadRequestError);
	});
});
