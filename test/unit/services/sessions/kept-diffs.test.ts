import { expect } from "chai";
import { keptDiff, type KeptDiffOrder } from "#services/sessions/kept-diff.ts";
import { KeptDiffs } from "#services/sessions/kept-diffs.ts";
import { nextTurn } from "#shared/clock.ts";
import { type ServiceError, UpstreamError } from "#shared/errors.ts";
import { failureOf } from "../../../support/failure-of.ts";

/** 0.5 MB of files with a line each. */
const patch = Array.from(
	{ length: 5_000 },
	(_, n) => `diff --git a/f${n} b/f${n}\nnew file mode 100644\n--- /dev/null\n+++ b/f${n}\n@@ -0,0 +1 @@\n+x\n`,
).join("");

/** What the parser fails at, again and again. */
const hostile = "diff --git a/f b/f\n@@ -1 +1 @@\n?\n".repeat(60_000);

const orders: KeptDiffOrder[] = [
	{ patch, truncated: false, format: "files" },
	{ patch, truncated: true, format: "patch" },
	{ patch, truncated: false, format: "files", path: "f7" },
];

describe("KeptDiffs", function () {
	this.timeout(60_000);
	let diffs: KeptDiffs;

	beforeEach(() => {
		diffs = new KeptDiffs(30_000);
	});
	afterEach(() => diffs.close());

	it("give what the patch says, and everything else goes on meanwhile (C1)", async () => {
		let answered = false;
		const asked = Promise.all(orders.map((order) => diffs.answer(order))).finally(() => {
			answered = true;
		});
		// Read here, each of them would be over in one turn of the event loop.
		let turns = 0;
		for (; !answered; turns++) await nextTurn();
		expect(await asked).to.deep.equal(orders.map(keptDiff));
		expect(turns).to.be.greaterThan(50);
	});

	it("give up a patch that takes too long (C1)", async () => {
		const hasty = new KeptDiffs(1);
		try {
			const failure = await failureOf(hasty.answer({ patch: hostile, truncated: false, format: "files" }));
			expect(failure).to.be.instanceOf(UpstreamError).and.to.include({ type: "PATCH_UNREADABLE" });
		} finally {
			await hasty.close();
		}
	});

	it("refuse those behind the sixteenth, and at their end those that still wait (C1)", async () => {
		const asked = Array.from({ length: 20 }, () =>
			diffs.answer({ patch, truncated: false, format: "files" }).then(
				() => 200,
				(error: ServiceError) => error.code,
			),
		);
		expect(await Promise.all(asked.slice(16))).to.deep.equal([429, 429, 429, 429]);
		await diffs.close();
		expect((await Promise.all(asked)).slice(2, 16)).to.deep.equal(Array.from({ length: 14 }, () => 503));
	});
});
