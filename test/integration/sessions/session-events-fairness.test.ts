/** The capacity that many readings of one person's raw events leave for others, over a real store. */
import { bound } from "#shared/base/bounds.ts";
import { expect } from "chai";
import { eventOf, SessionEventRecords } from "#services/sessions/raw-events/session-event-records.ts";
import { sessionEventCollection } from "#services/sessions/raw-events/session-event-collection.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { sessionEventsService } from "#services/sessions/session-events.service.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import type { Principal } from "#shared/base/principal.ts";
import { sessionEvents } from "#shared/contracts/sessions/session-events.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";
import { alice, bob, callAs, type Nodes, startNodes } from "../../support/bus/test-brokers.ts";
import { commandsOver } from "../../support/platform/session-commander.ts";
import { sessionCreate } from "../../support/platform/session-record.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";

describe("readings of raw events", function () {
	this.timeout(60_000);
	let opened: StoreUnderTest;
	let nodes: Nodes;
	let records: SessionRecords;
	let events: SessionEventRecords;

	before(async () => {
		opened = await openEmbedded([sessionCollection, workspaceCollection, sessionEventCollection]);
		records = new SessionRecords(opened.store, () => {});
		events = new SessionEventRecords(opened.store);
		nodes = await startNodes(1, [sessionEventsService(records, events)]);
	});
	after(async () => {
		await nodes?.stop();
		await opened?.discard();
	});

	/** A session with the largest number of stored events. */
	async function fullSession(principal: Principal): Promise<string> {
		const commands = commandsOver(records, opened.store);
		await commands.create({ principal }, { request: sessionCreate() });
		const own = { equals: [principal.tenant, principal.id, "active"] };
		const [document] = (await opened.store.find(sessionCollection, "owner_shelf", own, { limit: 1 })).documents;
		const id = document?.id ?? expect.fail("no session");
		const told = {
			session_id: id,
			event_type: "token_usage",
			timestamp: "2026-11-22T09:00:00Z",
			tokens_in: 1,
			data: {},
		};
		const many = Array.from({ length: bound.rawEvents }, (_, n) =>
			eventOf(`${principal.id}-${n}`, { ...told, sequence: n }),
		);
		await events.add(id, many);
		return id;
	}

	it("are divided between people: one who asks for many does not delay another", async () => {
		const ids = new Map([
			[alice, await fullSession(alice)],
			[bob, await fullSession(bob)],
		]);
		const over: string[] = [];
		const read = async (who: Principal) => {
			const params = { session_id: ids.get(who) ?? "", bucket_seconds: 300 };
			const [bucket] = await callAs(nodes.near, who, sessionEvents.actions.tokens, params);
			expect(bucket?.tokens_in).to.equal(bound.rawEvents);
			over.push(who.id);
		};
		await Promise.all([...Array.from({ length: 12 }, () => read(alice)), read(bob)]);
		expect(over).to.have.length(13);
		expect(over.indexOf("bob"), "of hers, those that were under way").to.be.below(6);
	});
});
