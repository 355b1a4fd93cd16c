import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { sessionCollection, type SessionDocument } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import type { SessionChange } from "#services/sessions/record/session-change.ts";
import { now } from "#shared/base/clock.ts";
import { NotFoundError, TooManyRequestsError } from "#shared/base/errors.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { openEmbedded, openOnEndpoint } from "../../../support/stores/open-stores.ts";
import { alice, bob, job } from "../../../support/bus/test-brokers.ts";

interface Engine {
	readonly open: () => Promise<StoreUnderTest>;
	/** The number of concurrent changes: no more than find a connection in time on a busy machine. */
	readonly crowd: number;
}

const engines: Record<string, Engine> = {
	SQLite: { open: () => openEmbedded([sessionCollection]), crowd: 150 },
	"MongoDB's wire protocol": { open: () => openOnEndpoint([sessionCollection]), crowd: 20 },
};

function sessionOf({ id: owner, tenant }: typeof alice): SessionDocument {
	const wire = JSON.stringify({ rev: 1, status: "running", generation: 1, budget: { limit: null } });
	const at = new Date(now()).toISOString();
	return { id: randomUUID(), wire, tenant, owner, shelf: "active", status: "running", rev: 1, created_at: at };
}

for (const [engine, { open, crowd }] of Object.entries(engines)) {
	describe(`SessionRecords on ${engine}`, () => {
		let opened: StoreUnderTest;
		let records: SessionRecords;
		let id: string;

		before(async () => {
			opened = await open();
			records = new SessionRecords(opened.store, () => {});
		});
		after(() => opened.discard());
		beforeEach(async () => {
			const document = sessionOf(alice);
			await records.insert(document);
			id = document.id;
		});

		it("makes each of many concurrent changes with one read, and refuses the excess (H4)", async () => {
			let looks = 0;
			const renamed = (name: string) => (): SessionChange => {
				looks++;
				return { at: now(), members: { name }, columns: {}, event: "session_updated" };
			};
			const all = Array.from({ length: crowd }, (_one, n) => records.change(alice, id, renamed(`${n}`)));
			const strange = records.change(bob, id, renamed("not his"));
			const own = records.change(job, id, renamed("the platform's"));
			const changed = Promise.allSettled(all);
			const refusedFirst = await Promise.race([failureOf(strange), changed]);
			expect(refusedFirst, "he does not wait in line").to.be.instanceOf(NotFoundError);
			const [outcomes] = await Promise.all([changed, own]);
			const refused = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
			const done = all.length - refused.length;
			expect(done).to.be.within(1, 65);
			for (const error of refused) expect(error).to.be.instanceOf(TooManyRequestsError);
			expect(looks, "nobody lost a race").to.equal(done + 1);
			expect((await records.get(alice, id)).session.rev).to.equal(1 + done + 1);
		});

		it("gives the result of the decision that counts when another process was faster", async () => {
			// No change of one process waits for one of another.
			const processes = Array.from({ length: 4 }, () => new SessionRecords(opened.store, () => {}));
			const change = { at: now(), members: { name: "b" }, columns: {}, event: "session_updated" } as const;
			const decided = await Promise.all(
				processes.map((one) => one.decide(alice, id, ({ session }) => ({ change, result: session.rev }))),
			);
			expect(decided.map(({ result }) => result)).to.have.members([1, 2, 3, 4]);
			for (const { record, result } of decided) expect(record.session.rev).to.equal(result + 1);
		});

		it("gives the result of a decision that changes nothing", async () => {
			const { record, result } = await records.decide(alice, id, ({ session }) => ({ result: session.rev }));
			expect([record.session.rev, result]).to.deep.equal([1, 1]);
			expect(await records.annotate(alice, id, () => ({ result: "as it is" }))).to.equal("as it is");
		});
	});
}
