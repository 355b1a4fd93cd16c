import { expect } from "chai";
import fc from "fast-check";
import { both, type ColumnChange, enter, statusOf } from "#services/sessions/record/session-change.ts";
import { deadlinesMs, desiredOf, shelfOf, type StoredStatus } from "#services/sessions/record/session-lifecycle.ts";
import { sessionStatuses } from "#shared/contracts/sessions/session-resource.ts";
import { createdAt as at, sessionRecord } from "../../../../support/platform/session-record.ts";

const statuses: readonly StoredStatus[] = [...sessionStatuses, "deleted"];

describe("enter()", () => {
	for (const status of statuses) {
		it(`keeps columns and members of a ${status} session together`, () => {
			const { members, columns } = enter(status, at);
			expect(columns.set).to.include({ status, shelf: shelfOf(status), desired: desiredOf(status) });
			expect(members.status, "a tombstone has no status that clients know").to.equal(
				status === "deleted" ? undefined : status,
			);
			expect(members.archived_at !== null).to.equal(status === "archived");
			const isAtRest = desiredOf(status) !== "run";
			expect(members).to.have.property("status_reason");
			expect("activity_state" in members).to.equal(isAtRest);
		});

		it(`gives ${status} its deadline, which a launch has from its first claim only`, () => {
			const { columns } = enter(status, at);
			const limit = status === "starting" ? undefined : deadlinesMs[status];
			expect(columns.set?.deadline_at).to.equal(limit === undefined ? undefined : at + limit);
			expect(columns.unset).to.deep.equal(limit === undefined ? ["deadline_at"] : []);
		});
	}

	it("says why a session failed, in reason and error alike", () => {
		const { members } = enter("failed", at, { code: "CLONE_FAILED", message: "Repository not found" });
		expect(members.error).to.equal("Repository not found");
		expect(members.status_reason).to.include({ code: "CLONE_FAILED", message: "Repository not found" });
		expect(enter("failed", at).members).not.to.have.property("error");
	});

	it("cuts a sentence of any length to 4,096 bytes of JSON", () => {
		for (const character of ["x", "é", "\u0000", "😀"]) {
			const { members } = enter("failed", at, { code: "C", message: character.repeat(5_000) });
			expect(Buffer.byteLength(JSON.stringify(members.error))).to.be.within(4_085, 4_096);
			expect(members.status_reason?.message).to.equal(members.error);
		}
	});
});

describe("both()", () => {
	const names = ["address", "status", "deadline_at", "due_at"] as const;
	const change: fc.Arbitrary<ColumnChange> = fc
		.tuple(fc.uniqueArray(fc.constantFrom(...names)), fc.uniqueArray(fc.constantFrom(...names)), fc.nat())
		.map(([set, unset, value]) => ({
			set: Object.fromEntries(set.map((name) => [name, value])),
			unset: unset.filter((name) => !set.includes(name)),
		}));

	/** The columns after a change. */
	function after(columns: object, { set, unset = [] }: ColumnChange): object {
		const gone: readonly string[] = unset;
		return Object.fromEntries(Object.entries({ ...columns, ...set }).filter(([name]) => !gone.includes(name)));
	}

	it("never sets and removes the same column", () => {
		fc.assert(
			fc.property(change, change, (first, second) => {
				const { set = {}, unset = [] } = both(first, second);
				expect(unset.filter((column) => column in set)).to.deep.equal([]);
			}),
		);
	});

	it("is one change after the other, where the second removes nothing that the first sets", () => {
		fc.assert(
			fc.property(change, change, (first, second) => {
				fc.pre(!second.unset?.some((column) => column in (first.set ?? {})));
				const columns = { address: "a", due_at: 1 };
				expect(after(columns, both(first, second))).to.deep.equal(after(after(columns, first), second));
			}),
		);
	});
});

describe("statusOf()", () => {
	it("is the stored one, which is `deleted` for a tombstone", () => {
		expect(statusOf(sessionRecord({ status: "deleted" }))).to.equal("deleted");
		expect(statusOf(sessionRecord({ status: "failed" }))).to.equal("failed");
	});
});
