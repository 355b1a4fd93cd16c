/** Sessions and workspaces of two hosts over both stores: each host gets its own ones only. */
import { expect } from "chai";
import type { SessionCommands } from "#services/sessions/commands/session-commands.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { SessionClaims } from "#services/sessions/claims/session-claims.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";
import { WorkspaceTasks } from "#services/sessions/workspaces/workspace-tasks.ts";
import { textOf } from "#shared/base/schema/json-text.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { alice } from "../../../support/bus/test-brokers.ts";
import { seen } from "../../../support/platform/session-actor.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { sessionCreate } from "../../../support/platform/session-record.ts";
import { storeEngines } from "../../../support/stores/open-stores.ts";
import { workspacesOver } from "../../../support/workspaces/test-workspaces.ts";

const collections = [sessionCollection, workspaceCollection] as const;
const [here, there] = ["a".repeat(16), "b".repeat(16)];

for (const [name, open] of Object.entries(storeEngines([...collections]))) {
	describe(`the host of sessions and workspaces on ${name}`, () => {
		let opened: StoreUnderTest;
		let store: DocumentStore;
		let claims: SessionClaims;
		let commands: SessionCommands;

		beforeEach(async () => {
			opened = await open();
			store = opened.store;
			const records = new SessionRecords(store, () => {});
			commands = commandsOver(records, store);
			const workspaces = workspacesOver(store);
			claims = new SessionClaims(store, { records, workspaces, hint: () => {}, forget: async () => {} });
		});
		afterEach(() => opened.discard());

		const create = async () => {
			const made = await commands.create({ principal: alice }, { request: sessionCreate() });
			return (JSON.parse(textOf(made)) as { id: string }).id;
		};
		const claim = (host: string, ids?: string[]) => claims.claim(16, ids, { host });
		const ids = (claimed: readonly { id: string }[]) => claimed.map(({ id }) => id);
		const report = (claimed: Claim | undefined, phase: "ready" | "absent") =>
			claims.report({ ...(claimed ?? expect.fail("no claim")), observed: seen(phase), due_in_ms: 0 });

		it("is that of the first pod manager that launches it, and no other one gets it", async () => {
			const id = await create();
			const [claimed] = await claim(here);
			expect(claimed?.id).to.equal(id);
			expect((await store.get(sessionCollection, id))?.host).to.equal(here);
			expect((await store.get(workspaceCollection, id))?.host).to.equal(here);
			await report(claimed, "ready");
			await commands.run({ principal: alice }, "stop", id);
			expect(ids(await claim(there)), "due").to.deep.equal([]);
			expect(ids(await claim(there, [id])), "asked for by id").to.deep.equal([]);
			expect(ids((await claims.expected(500, undefined, there)).sessions)).to.deep.equal([]);
			expect(ids((await claims.expectedOf([id], there)).sessions)).to.deep.equal([]);
			expect(ids((await claims.expectedOf([id], here)).sessions)).to.deep.equal([id]);
			expect(ids(await claim(here))).to.deep.equal([id]);
		});

		it("stays when it starts again, whoever asks first", async () => {
			const id = await create();
			await report((await claim(here))[0], "ready");
			await commands.run({ principal: alice }, "stop", id);
			await report((await claim(here))[0], "absent");
			await commands.run({ principal: alice }, "start", id);
			expect(ids(await claim(there))).to.deep.equal([]);
			expect(ids(await claim(here))).to.deep.equal([id]);
		});

		it("is chosen at once for a session that was stopped and started before its first launch", async () => {
			const id = await create();
			await commands.run({ principal: alice }, "stop", id);
			await report((await claim(there))[0], "absent");
			await commands.run({ principal: alice }, "start", id);
			expect(ids(await claim(here)), "with its second launch").to.deep.equal([id]);
			expect((await store.get(sessionCollection, id))?.host).to.equal(here);
		});

		it("does not keep pod managers that name none from any session", async () => {
			const id = await create();
			await report((await claim(here))[0], "ready");
			await commands.run({ principal: alice }, "stop", id);
			expect(ids(await claims.claim(16))).to.deep.equal([id]);
		});

		it("leaves removals to the host that has the files, and those of nobody's files to anybody", async () => {
			const tasks = new WorkspaceTasks(store);
			const id = await create();
			await claim(here);
			const unused = await create();
			const due = { set: { status: "deleted", due_at: 1 } };
			for (const one of [id, unused]) await store.update(workspaceCollection, one, {}, due);
			expect(ids(await tasks.claim(16, true, there))).to.deep.equal([unused]);
			expect(ids(await tasks.claim(16, true, here))).to.deep.equal([id]);
		});
	});
}
