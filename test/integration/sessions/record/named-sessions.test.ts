/** Sessions are found by their exact name, on both kinds of stores. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { type ListQuery, listPage } from "#services/sessions/record/session-list.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { enter } from "#services/sessions/record/session-change.ts";
import { textOf } from "#shared/base/schema/json-text.ts";
import type { Principal } from "#shared/base/principal.ts";
import { now } from "#shared/base/clock.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { alice, bob, root } from "../../../support/bus/test-brokers.ts";
import { sessionCreate, sessionDocument } from "../../../support/platform/session-record.ts";
import { storeEngines } from "../../../support/stores/open-stores.ts";

for (const [engine, open] of Object.entries(storeEngines([sessionCollection]))) {
	describe(`sessions of one name on ${engine}`, () => {
		let opened: StoreUnderTest;
		let records: SessionRecords;

		beforeEach(async () => {
			opened = await open();
			records = new SessionRecords(opened.store, () => {});
		});
		afterEach(() => opened.discard());

		function documentOf(principal: Principal, name: string) {
			return sessionDocument({ id: randomUUID(), principal, request: sessionCreate({ name }), at: now() });
		}

		async function create(principal: Principal, name: string): Promise<string> {
			const document = documentOf(principal, name);
			await records.insert(document);
			return document.id;
		}

		async function archive(id: string): Promise<void> {
			const at = now();
			await records.change(root, id, () => ({ at, ...enter("archived", at), event: "session_updated" }));
		}

		async function found(principal: Principal, query: Partial<ListQuery>): Promise<string[]> {
			const all: string[] = [];
			for (let cursor: string | undefined; ; ) {
				const whole = { status: undefined, include_archived: false, name: undefined, limit: 1, ...query, cursor };
				const page = await listPage(records, principal, whole);
				all.push(...(JSON.parse(textOf(page.items)) as Session[]).map(({ id }) => id));
				cursor = page.next;
				if (cursor === undefined) return all;
			}
		}

		it("are those of the caller, or of everybody for an administrator, on any page, and no similar ones", async () => {
			const own = [await create(alice, "wanted"), await create(alice, "wanted")];
			const his = await create(bob, "wanted");
			for (const other of ["wanted-2", "unwanted", "want"]) await create(alice, other);
			expect(await found(alice, { name: "wanted" })).to.have.members(own);
			expect(await found(bob, { name: "wanted" })).to.deep.equal([his]);
			expect(await found(root, { name: "wanted" })).to.have.members([...own, his]);
			expect(await found({ ...alice, tenant: "other" }, { name: "wanted" })).to.deep.equal([]);
			for (const nobodys of ["", "WANTED", "wanted%"]) expect(await found(alice, { name: nobodys })).to.deep.equal([]);
		});

		it("are found by their status too, and archived ones when they are asked for", async () => {
			const [active, archived] = [await create(alice, "wanted"), await create(alice, "wanted")];
			await archive(archived);
			await archive(await create(alice, "other"));
			expect(await found(alice, { name: "wanted" })).to.deep.equal([active]);
			expect(await found(alice, { name: "wanted", status: "archived" })).to.deep.equal([archived]);
			expect(await found(alice, { name: "wanted", status: "running" })).to.deep.equal([]);
			expect(await found(alice, { name: "wanted", include_archived: true })).to.have.members([active, archived]);
		});

		it("have the name of the last change", async () => {
			const id = await create(alice, "before");
			const members = { name: "after" };
			await records.change(alice, id, () => ({ at: now(), members, columns: {}, event: "session_updated" }));
			expect([await found(alice, { name: "before" }), await found(alice, { name: "after" })]).to.deep.equal([[], [id]]);
		});
	});
}
