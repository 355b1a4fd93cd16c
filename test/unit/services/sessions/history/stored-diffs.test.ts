import { expect } from "chai";
import { storedDiff, type StoredDiffOrder } from "#services/sessions/history/stored-diff.ts";
import { StoredDiffs } from "#services/sessions/history/stored-diffs.ts";
import { nextTurn } from "#shared/base/clock.ts";
import { type ServiceError, UpstreamError } from "#shared/base/errors.ts";
import type { Principal } from "#shared/base/principal.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { alice, bob } from "../../../../support/bus/test-brokers.ts";

/** A patch of 0.5 MB, of files with a line each. */
const patch = Array.from(
	{ length: 5_000 },
	(_, n) => `diff --git a/f${n} b/f${n}\nnew file mode 100644\n--- /dev/null\n+++ b/f${n}\n@@ -0,0 +1 @@\n+x\n`,
).join("");

/** A text for which the parser fails repeatedly. */
const hostile = "diff --git a/f b/f\n@@ -1 +1 @@\n?\n".repeat(60_000);

const orders: StoredDiffOrder[] = [
	{ patch, truncated: false, format: "files" },
	{ patch, truncated: true, format: "patch" },
	{ patch, truncated: false, format: "files", path: "f7" },
];

describe("StoredDiffs", function () {
	this.timeout(60_000);
	let diffs: StoredDiffs;

	beforeEach(() => {
		diffs = new StoredDiffs(30_000);
	});
	afterEach(() => diffs.close());

	it("return the content of the patch, without blocking other work (C1)", async () => {
		let answered = false;
		const asked = Promise.all(orders.map((order) => diffs.answer(alice, order))).finally(() => {
			answered = true;
		});
		// Each of them would end in one turn of the event loop without the thread.
		let turns = 0;
		for (; !answered; turns++) await nextTurn();
		expect(await asked).to.deep.equal(orders.map(storedDiff));
		expect(turns).to.be.greaterThan(50);
	});

	it("abandon a patch that takes too long (C1)", async () => {
		const hasty = new StoredDiffs(1);
		try {
			const failure = await failureOf(hasty.answer(alice, { patch: hostile, truncated: false, format: "files" }));
			expect(failure).to.be.instanceOf(UpstreamError).and.to.include({ type: "PATCH_UNREADABLE" });
		} finally {
			await hasty.close();
		}
	});

	/** The outcome of so many requests for a large patch: 200, or the code of the refusal. */
	function asked(who: Principal, count: number): Promise<number>[] {
		return Array.from({ length: count }, () =>
			diffs.answer(who, { patch, truncated: false, format: "files" }).then(
				() => 200,
				(error: ServiceError) => error.code,
			),
		);
	}

	it("refuse a person's fifth waiting request, and at their end those that still wait (C1)", async () => {
		const hers = asked(alice, 8);
		expect(await Promise.all(hers.slice(5))).to.deep.equal([429, 429, 429]);
		await diffs.close();
		expect((await Promise.all(hers)).slice(2, 5)).to.deep.equal([503, 503, 503]);
	});

	it("read the patch of one person before the second of another one who asks for many", async () => {
		const over: string[] = [];
		const hers = asked(alice, 20).map((one) => one.then((code) => code === 200 && over.push("alice")));
		const his = asked(bob, 1).map((one) => one.then((code) => over.push(`bob ${code}`)));
		await Promise.all([...hers, ...his]);
		expect(over.indexOf("bob 200")).to.be.within(0, 2);
		expect(over).to.have.length(6);
	});
});
