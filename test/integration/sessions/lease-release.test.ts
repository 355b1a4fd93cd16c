/** The next process takes the leases of a killed one at once, and a late report is refused. */
import { expect } from "chai";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { releaseLeases } from "#services/sessions/claims/lease-release.ts";
import { SessionClaims } from "#services/sessions/claims/session-claims.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { seen } from "../../support/platform/session-actor.ts";
import { alice } from "../../support/bus/test-brokers.ts";
import { commandsOver } from "../../support/platform/session-commander.ts";
import { sessionCreate } from "../../support/platform/session-record.ts";
import { workspacesOver } from "../../support/workspaces/test-workspaces.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";

describe("releaseLeases()", () => {
	let folder: string;
	let store: DocumentStore;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "atelier-leases-"));
		store = new EmbeddedStore({ folder });
		await store.open([sessionCollection, workspaceCollection]);
	});
	afterEach(async () => {
		await store.close();
		await rm(folder, { recursive: true });
	});

	it("makes leased sessions due, and no others that wait for their time", async () => {
		const records = new SessionRecords(store, () => {});
		const commands = commandsOver(records, store);
		const claims = new SessionClaims(store, {
			records,
			workspaces: workspacesOver(store),
			hint: () => {},
			forget: async () => {},
		});
		for (let i = 0; i < 3; i++) await commands.create({ principal: alice }, { request: sessionCreate() });
		const [first, second, third] = await claims.claim(3);
		if (!first || !second || !third) return expect.fail("nothing to claim");
		await claims.report({ ...third, observed: seen("ready"), due_in_ms: 60_000 });
		expect(await claims.claim(3), "while leased").to.deep.equal([]);

		expect(await releaseLeases(store)).to.equal(2);

		expect(await claims.report({ ...first, observed: seen("ready"), due_in_ms: 0 }), "a late report").to.equal(false);
		const again = await claims.claim(3);
		expect(again.map(({ id }) => id).toSorted()).to.deep.equal([first.id, second.id].toSorted());
		expect(await releaseLeases(store)).to.equal(2);
	});
});
