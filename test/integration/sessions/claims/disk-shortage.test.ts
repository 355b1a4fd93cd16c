/** The stop of the session that fills the disk of its host, over both stores. */
import { expect } from "chai";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { recordOf } from "#services/sessions/record/session-change.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { DiskShortage } from "#services/sessions/claims/disk-shortage.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { sessionRecord } from "../../../support/platform/session-record.ts";
import { storeEngines } from "../../../support/stores/open-stores.ts";
import { workspacesOver } from "../../../support/workspaces/test-workspaces.ts";

const collections = [sessionCollection, workspaceCollection] as const;
const [mb, least] = [1_000_000, 8_000_000];

for (const [name, open] of Object.entries(storeEngines([...collections]))) {
	describe(`a disk that is short on ${name}`, () => {
		let opened: StoreUnderTest;
		let store: DocumentStore;
		let shortage: DiskShortage;
		let hinted: string[];
		let changed: string[];

		beforeEach(async () => {
			opened = await open();
			store = opened.store;
			hinted = [];
			changed = [];
			shortage = new DiskShortage({
				store,
				records: new SessionRecords(store, () => {}, {
					changed: (before, { status }) => void changed.push(`${before} ${status}`),
				}),
				hint: (id) => void hinted.push(id),
			});
		});
		afterEach(() => opened.discard());

		/** A session whose workspace had this size at its last measurement. */
		async function session(knownMb?: number, status: "running" | "stopped" = "running"): Promise<string> {
			const id = timeBasedUuid(Date.now());
			const { document } = sessionRecord({
				status,
				order: { id },
				columns: { desired: status === "running" ? "run" : "stop" },
			});
			await workspacesOver(store).reserve(document);
			await store.insert(sessionCollection, document);
			if (knownMb !== undefined) await store.update(workspaceCollection, id, {}, { set: { size_bytes: knownMb * mb } });
			return id;
		}

		const seen = async (id: string) =>
			recordOf((await store.get(sessionCollection, id)) ?? expect.fail(`no session ${id}`)).session;
		const size = (id: string, bytesMb: number, beforeMb?: number) => ({
			session: id,
			bytes: bytesMb * mb,
			...(beforeMb !== undefined && { before: beforeMb * mb }),
		});

		it("stops the session that grew most, with the reason and its event, and no other one for the same growth", async () => {
			const [large, small, greedy] = [await session(900), await session(10), await session(20)];
			const sizes = [size(large, 900, 900), size(small, 40, 40), size(greedy, 300, 300)];
			expect(await shortage.stopLargest(sizes, least)).to.deep.equal([{ session: greedy, grown_bytes: 280 * mb }]);
			const { status, status_reason, error } = await seen(greedy);
			expect([status, status_reason?.code]).to.deep.equal(["failed", "DISK_FULL"]);
			expect(error).to.include("grew most, by 280 MB");
			const document = await store.get(sessionCollection, greedy);
			expect(document?.desired).to.equal("stop");
			expect([hinted, changed]).to.deep.equal([[greedy], ["running failed"]]);
			const events = (await store.outbox(sessionCollection, 100)).filter((one) => one.id === greedy);
			expect(JSON.stringify(events)).to.include("session_updated").and.to.include("DISK_FULL");
			expect(await shortage.stopLargest(sizes, least), "the same growth again").to.deep.equal([]);
			for (const id of [large, small]) expect((await seen(id)).status).to.equal("running");
		});

		it("stops the one that writes now before one that has written earlier", async () => {
			const [earlier, greedy] = [await session(), await session(100)];
			const stopped = await shortage.stopLargest([size(earlier, 500, 500), size(greedy, 130, 110)], least);
			expect(stopped).to.deep.equal([{ session: greedy, grown_bytes: 20 * mb }]);
			expect((await seen(earlier)).status).to.equal("running");
		});

		it("stops the one that has too many files to be measured before others, and says what to do", async () => {
			const [honest, hidden] = [await session(10), await session(20)];
			const sizes = [size(honest, 300, 10), { ...size(hidden, 1), partial: "entries" as const }];
			expect(await shortage.stopLargest(sizes, least)).to.deep.equal([{ session: hidden, grown_bytes: 0 }]);
			expect((await seen(honest)).status).to.equal("running");
			const { status_reason, error } = await seen(hidden);
			expect(status_reason?.code).to.equal("DISK_FULL");
			expect(error).to.include("has more than 2000000 files and folders, so nobody knows how large it is");
			const document = await store.get(workspaceCollection, hidden);
			expect(JSON.parse(document?.wire ?? "")).to.include({ size_bytes: mb, size_is_partial: true });
		});

		it("stops one whose measurement lacked time only when nobody has grown", async () => {
			const [honest, slow] = [await session(10), await session(20)];
			const partial = { ...size(slow, 1), partial: "time" as const };
			expect(await shortage.stopLargest([size(honest, 300, 10), partial], least)).to.deep.include({
				session: honest,
				grown_bytes: 290 * mb,
			});
			expect(await shortage.stopLargest([partial], least)).to.deep.equal([{ session: slow, grown_bytes: 0 }]);
		});

		it("stops one that cannot be measured with the reason, and not with a size", async () => {
			const id = await session(10);
			const oversized = { session: id, bytes: 5 * mb, limit_bytes: 100 * mb, partial: "memory" as const };
			expect(await shortage.stopOversized(oversized)).to.equal(true);
			expect((await seen(id)).error).to.match(/memory to be measured.*remove some within ten minutes/);
		});

		it("stops none that did not grow, that hardly grew, or that is not to run", async () => {
			const [large, shrunk, slow, over] = [
				await session(900),
				await session(500),
				await session(5),
				await session(1, "stopped"),
			];
			const sizes = [size(large, 900, 900), size(shrunk, 20, 30), size(slow, 12, 11), size(over, 800, 100)];
			expect(await shortage.stopLargest(sizes, least)).to.deep.equal([]);
			for (const id of [large, shrunk, slow]) expect((await seen(id)).status).to.equal("running");
			expect(await shortage.inUse([large, over])).to.deep.equal([{ session: large, workspace: large }]);
		});
	});
}
