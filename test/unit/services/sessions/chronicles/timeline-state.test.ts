import { expect } from "chai";
import fc from "fast-check";
import {
	noTimeline,
	withinBounds,
	type TimelineState,
	withEntry,
} from "#services/sessions/chronicles/timeline-state.ts";
import type { TimelineEntry } from "#shared/contracts/sessions/chronicles.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";

const at = "2026-01-01T00:00:00.000Z";

function message(t: number, label = "x"): TimelineEntry {
	return { t, type: "message", label, tokens: 1 };
}

/** The stored state after these entries, each of which was brought within bounds separately. */
function stored(entries: readonly TimelineEntry[]) {
	const chunks = new Map<string, readonly TimelineEntry[]>();
	let state: TimelineState = noTimeline;
	for (const entry of entries) {
		const change = withinBounds(withEntry(state, entry, at), `chunk ${entry.t}`);
		if (change.written) chunks.set(change.written.chunk.id, change.written.entries);
		for (const { id } of change.dropped) chunks.delete(id);
		state = change.state;
	}
	const inChunks = state.chunks.flatMap(({ id }) => chunks.get(id) ?? expect.fail(`chunk "${id}" is not stored`));
	return { state, chunks, entries: [...inChunks, ...state.tail] };
}

describe("a timeline", () => {
	it("stores up to a hundred entries with its state, and then moves them all to a chunk", () => {
		const hundred = Array.from({ length: 100 }, (_, t) => message(t));
		expect(stored(hundred).state.chunks).to.deep.equal([]);
		const { state, chunks } = stored([...hundred, message(100)]);
		expect(state.tail).to.deep.equal([]);
		expect(state.chunks).to.deep.equal([{ id: "chunk 100", entries: 101, bytes: jsonBytes(chunks.get("chunk 100")) }]);
	});

	it("moves fewer entries when they are large", () => {
		const { state } = stored(Array.from({ length: 90 }, (_, t) => message(t, "x".repeat(1_000))));
		expect(state.chunks.length).to.be.above(0);
		expect(jsonBytes(state.tail)).to.be.at.most(64 * 1024);
	});

	it("has the newest entries in order, at most 2,000 and 400 KB in chunks, and says when older ones are gone", () => {
		const sizes = fc.array(fc.constantFrom(1, 500, 1_024), { minLength: 1, maxLength: 20 });
		const property = fc.property(sizes, fc.integer({ min: 1, max: 3_000 }), (lengths, count) => {
			const all = Array.from({ length: count }, (_, t) => message(t, "x".repeat(lengths[t % lengths.length] ?? 1)));
			const { state, chunks, entries } = stored(all);
			expect(entries).to.deep.equal(all.slice(-entries.length));
			expect(state.truncated).to.equal(entries.length < all.length);
			expect(entries.length).to.be.at.most(2_000);
			expect(chunks.size, "nothing else is stored").to.equal(state.chunks.length);
			const bytes = state.chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
			expect(bytes).to.be.at.most(400 * 1024);
			expect(state.totals.last).to.equal(count - 1);
		});
		fc.assert(property, { numRuns: 8 });
	});

	it("keeps the newest chunk, however large it is", () => {
		const large = Array.from({ length: 600 }, (_, t) => message(t, "x".repeat(1_024)));
		const { state } = withinBounds({ ...noTimeline, tail: large }, "only");
		expect(state).to.deep.include({ tail: [], truncated: false });
		expect(state.chunks.map(({ id }) => id)).to.deep.equal(["only"]);
	});

	it("reports removed entries even if later ones have room", () => {
		const tail = Array.from({ length: 101 }, (_, t) => message(t));
		expect(withinBounds({ ...noTimeline, truncated: true, tail }, "later").state.truncated).to.equal(true);
	});

	it("includes removed entries in its totals", () => {
		const entries = Array.from({ length: 2_500 }, (_, t) => message(t));
		const { state } = stored(entries);
		expect(state.truncated).to.equal(true);
		expect(Object.values(state.totals.burn).reduce((sum, tokens) => sum + tokens, 0)).to.equal(2_500);
	});
});
