/** The warnings of a launch are in the timeline of its session, each sentence once. */
import { expect } from "chai";
import { ChronicleRecords } from "#services/sessions/chronicles/chronicle-records.ts";
import { chronicleCollections } from "#services/sessions/chronicles/compose-chronicles.ts";
import { SessionChronicles } from "#services/sessions/chronicles/session-chronicles.ts";
import { Timelines } from "#services/sessions/chronicles/timelines.ts";
import { type ClaimDependencies, SessionClaims } from "#services/sessions/claims/session-claims.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { alice } from "../../../support/bus/test-brokers.ts";
import { seen } from "../../../support/platform/session-actor.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { sessionCreate } from "../../../support/platform/session-record.ts";
import { openEmbedded } from "../../../support/stores/open-stores.ts";
import { workspacesOver } from "../../../support/workspaces/test-workspaces.ts";

describe("the warnings of a launch", () => {
	let opened: StoreUnderTest;
	let store: DocumentStore;
	let records: SessionRecords;
	let timelines: Timelines;
	let chronicles: SessionChronicles;

	beforeEach(async () => {
		opened = await openEmbedded([sessionCollection, workspaceCollection, ...chronicleCollections]);
		({ store } = opened);
		records = new SessionRecords(store, () => {});
		timelines = new Timelines(store, () => {});
		chronicles = new SessionChronicles(new ChronicleRecords(store, () => {}), timelines);
	});
	afterEach(() => opened.discard());

	/** Creates a session; returns its id, and the function by which its pod reports warnings. */
	async function started(noteWarnings: NonNullable<ClaimDependencies["noteWarnings"]>) {
		const workspaces = workspacesOver(store);
		const claims = new SessionClaims(store, { records, workspaces, noteWarnings, hint() {}, forget: async () => {} });
		await commandsOver(records, store).create({ principal: alice }, { request: sessionCreate() });
		const { documents } = await store.find(sessionCollection, "created", { equals: [] }, { limit: 1 });
		const { id } = documents[0] ?? expect.fail("no session");
		const reports = async (...warnings: string[]): Promise<void> => {
			const [claim] = await claims.claim(1, [id]);
			if (!claim) expect.fail("nothing to claim");
			const observed = { ...seen("ready"), warnings };
			expect(await claims.report({ ...claim, observed, due_in_ms: 0 })).to.equal(true);
		};
		return { id, reports };
	}

	it("become entries of its timeline, each once", async () => {
		const { id, reports } = await started((record, sentences) => chronicles.noteWarnings(record, sentences));
		const entries = async () => {
			const { events } = await timelines.read((await chronicles.newest(id)).id);
			return events.map(({ type, label }) => `${type}: ${label}`);
		};
		await reports("One server was refused");
		await reports("One server was refused", "Another one was refused");
		await reports("One server was refused", "Another one was refused");
		expect(await entries()).to.deep.equal(["error: One server was refused", "error: Another one was refused"]);
	});

	it("are told although the timeline cannot be written", async () => {
		const { id, reports } = await started(async () => {
			throw new Error("The store is away");
		});
		await reports("One server was refused");
		const { wire = "{}" } = (await store.get(sessionCollection, id)) ?? {};
		expect(JSON.parse(wire)).to.deep.include({ warnings: ["launch: One server was refused"] });
	});
});
