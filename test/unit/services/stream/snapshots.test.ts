import { expect } from "chai";
import { Audience } from "#services/stream/audience.ts";
import { Snapshots } from "#services/stream/snapshots.ts";
import { testIds } from "../../../support/clients/test-ids.ts";
import { sampleSession } from "../../../support/platform/start-stream.ts";

const everybody = new Audience({ kind: "user", id: "root", tenant: "acme", roles: ["admin"] });
const position = { epoch: "e", seq: 7 };

/** Pages of so many sessions, each with a text of this length. */
function snapshotsOf(count: number, pageSize: number, length: number): Snapshots {
	return new Snapshots(
		async (_principal, { limit, cursor = "0" }) => {
			const from = Number(cursor);
			const end = Math.min(count, from + Math.min(limit, pageSize));
			const ids = Array.from({ length: end - from }, (_, index) => from + index);
			const items = ids.map((n) => ({ ...sampleSession(n), issue_tracker_url: "x".repeat(length) }));
			return { items, ...(end < count && { next: String(end) }) };
		},
		() => position,
		testIds,
	);
}

describe("Snapshots", () => {
	it("go on over pages that end by bytes, to 500 sessions and no more (M2)", async () => {
		const { frames, more } = await snapshotsOf(600, 7, 10).take(everybody);
		expect([frames.length, more]).to.deep.equal([500, true]);
		expect(frames.map(String).filter((frame) => frame.startsWith("id: "))).to.deep.equal([String(frames.at(-1))]);
	});

	it("end by bytes themselves, and say that there is more (M2)", async () => {
		const { frames, more } = await snapshotsOf(400, 20, 50_000).take(everybody);
		const bytes = frames.reduce((sum, { length }) => sum + length, 0);
		expect(bytes).to.be.within(4_000_000, 6_000_000);
		expect(more).to.equal(true);
		expect(testIds.read(/^id: (.+)\n/.exec(String(frames.at(-1)))?.[1] ?? "")).to.deep.equal(position);
	});
});
