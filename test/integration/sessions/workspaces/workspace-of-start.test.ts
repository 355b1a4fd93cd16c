/** The start of a session whose workspace was deleted: it gets another one within the owner's quota. */
import { expect } from "chai";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { WorkspaceRecords } from "#services/sessions/workspaces/workspace-records.ts";
import { workspaceCollection, type WorkspaceDocument } from "#services/sessions/workspaces/workspace-collection.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { alice } from "../../../support/bus/test-brokers.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { sessionDocument } from "../../../support/platform/session-record.ts";
import { storeEngines } from "../../../support/stores/open-stores.ts";
import { workspacesOver } from "../../../support/workspaces/test-workspaces.ts";

const collections = [sessionCollection, workspaceCollection, idempotencyRecordCollection];
for (const [name, open] of Object.entries(storeEngines(collections))) {
	describe(`the start of a session whose workspace was deleted, on ${name}`, () => {
		let opened: StoreUnderTest;
		let records: SessionRecords;

		beforeEach(async () => {
			opened = await open();
			records = new SessionRecords(opened.store, () => {});
		});
		afterEach(() => opened.discard());

		/** A stopped session whose workspace was deleted. */
		async function stripped(): Promise<string> {
			const id = timeBasedUuid(Date.now());
			const { due_at: _due, ...session } = sessionDocument({ id, principal: alice, status: "created" });
			await workspacesOver(opened.store).reserve({ ...session, workspace: id });
			await records.insert({ ...session, workspace: id });
			await new WorkspaceRecords(opened.store, () => {}).delete(alice, id);
			return id;
		}

		async function kept(): Promise<WorkspaceDocument[]> {
			const range = { equals: [alice.tenant, alice.id, "kept"] };
			return (await opened.store.find(workspaceCollection, "owner_shelf", range, { limit: 100 })).documents;
		}

		it("takes one of the quota, and is refused beyond it", async () => {
			const ids = [await stripped(), await stripped(), await stripped(), await stripped()];
			const commands = commandsOver(records, opened.store, undefined, { count: 2 });
			const start = (id: string) => commands.run({ principal: alice }, "start", id);
			const [first = "", second = "", third = "", fourth = ""] = ids;
			await start(first);
			await start(second);
			for (const id of [third, fourth]) {
				expect(await failureOf(start(id))).to.include({ code: 409, type: "WORKSPACE_QUOTA" });
				expect((await records.get(alice, id)).session).to.include({ status: "created", rev: 1 });
			}
			expect((await kept()).map(({ holder }) => holder)).to.have.members([first, second]);
			const { document } = await records.get(alice, first);
			expect((await kept()).map(({ id }) => id)).to.include(document.workspace);
			expect(await workspacesOver(opened.store).hold(document)).to.deep.equal({ workspace: document.workspace });
			expect(await kept(), "a launch needs no further one").to.have.length(2);
		});

		it("gives up what it did not use: one of many starts at once, and a start that is refused", async () => {
			const id = await stripped();
			const commands = commandsOver(records, opened.store);
			const starts = Array.from({ length: 4 }, () => commands.run({ principal: alice }, "start", id));
			const outcomes = await Promise.allSettled(starts);
			expect(outcomes.filter(({ status }) => status === "fulfilled")).to.have.length(1);
			const { document } = await records.get(alice, id);
			expect((await kept()).map((one) => one.id)).to.deep.equal([document.workspace]);
		});
	});
}
