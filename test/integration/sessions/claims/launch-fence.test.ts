/** Launches of restored sessions get numbers that no pod of before has. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { fenceLaunches } from "#services/sessions/claims/launch-fence.ts";

describe("the launches of restored sessions", () => {
	it("have a number that no launch before the restore had, in the column and for clients", async () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-fence-"));
		const store = new EmbeddedStore({ folder });
		try {
			await store.open([sessionCollection]);
			// The second one was restored by a machine whose clock is ahead.
			for (const [id, generation] of [
				["a", 1],
				["b", 900_000_000],
			] as const)
				await store.insert(sessionCollection, { id, wire: JSON.stringify({ id, generation }), generation });
			await fenceLaunches(store);
			const [first, second] = [await store.get(sessionCollection, "a"), await store.get(sessionCollection, "b")];
			expect(first?.generation).to.be.greaterThan(20_000_000);
			expect(JSON.parse(first?.wire ?? "")).to.deep.equal({ id: "a", generation: first?.generation });
			expect(second?.generation).to.equal(900_000_001);
		} finally {
			await store.close();
			rmSync(folder, { recursive: true });
		}
	});
});
