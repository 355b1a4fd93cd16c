import { expect } from "chai";
import fc from "fast-check";
import { addEntry, leastBytes, noTotals, totalsOf } from "#services/sessions/chronicles/timeline-totals.ts";
import {
	entryTypes,
	fileActions,
	type TimelineEntry,
	type TimelineTotals,
} from "#shared/contracts/sessions/chronicles.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";

const at = "2026-11-21T10:20:30.000Z";

function totals(entries: readonly TimelineEntry[]): TimelineTotals {
	return totalsOf(entries.reduce((sum, entry) => addEntry(sum, entry, at), noTotals));
}

function file(label: string, action: TimelineEntry["action"], ins = 0, del = 0): TimelineEntry {
	return { t: 0, type: "file", label, action, ins, del };
}

describe("timeline totals", () => {
	it("are known to be too large for an event before they are written (C1)", () => {
		const entry = { type: "file", label: "", action: "created", ins: 0, del: 0 } as const;
		let running = noTotals;
		for (let n = 0; n < 300; n++) {
			running = addEntry(running, { ...entry, t: n * 1_000, label: String(n) }, at);
			expect(leastBytes(running)).to.be.at.most(jsonBytes(totalsOf(running)));
		}
		const late = addEntry(noTotals, { ...entry, t: 31_536_000 }, at);
		expect(leastBytes(late)).to.be.greaterThan(200_000);
	});

	it("are empty without entries", () => {
		expect(totals([])).to.deep.equal({ files: [], commits: [], token_burn: [] });
	});

	it("have the first action of a file, its deletion, and the sums of its lines", () => {
		const entries = [
			file("a", "created", 3),
			file("a", "modified", 1, 2),
			file("b", "modified", 5),
			file("b", "created"),
			file("c", "modified", 1),
			file("c", "deleted", 0, 9),
			file("c", "created", 4),
		];
		expect(totals(entries).files).to.deep.equal([
			{ path: "a", status: "new", ins: 4, del: 2 },
			{ path: "b", status: "mod", ins: 5, del: 0 },
			{ path: "c", status: "del", ins: 5, del: 9 },
		]);
	});

	it("have commits with a hash, newest first, at the time of their report", () => {
		const commits: TimelineEntry[] = [
			{ t: 1, type: "git", label: "First", hash: "0123456789abcdef" },
			{ t: 2, type: "git", label: "Pushed" },
			{ t: 3, type: "git", label: "Second", hash: "abc" },
		];
		expect(totals(commits).commits).to.deep.equal([
			{ hash: "abc", msg: "Second", time: "10:20" },
			{ hash: "0123456", msg: "First", time: "10:20" },
		]);
	});

	it("have tokens of messages by five minutes, up to the last entry of any kind", () => {
		const entries: TimelineEntry[] = [
			{ t: 299, type: "message", label: "a", tokens: 5 },
			{ t: 0, type: "message", label: "b", tokens: 1 },
			{ t: 300, type: "message", label: "c", tokens: 7 },
			{ t: 10, type: "error", label: "d", tokens: 100 },
			{ t: 1_000, type: "session", label: "e" },
		];
		expect(totals(entries).token_burn).to.deep.equal([6, 7, 0, 0]);
	});

	it("equal a computation from all entries at once", () => {
		const entry = fc.record({
			t: fc.nat({ max: 5_000 }),
			type: fc.constantFrom(...entryTypes),
			label: fc.constantFrom("a", "b", "c"),
			action: fc.option(fc.constantFrom(...fileActions)),
			tokens: fc.option(fc.nat({ max: 100 })),
			ins: fc.option(fc.nat({ max: 9 })),
			hash: fc.option(fc.constantFrom("1", "22222222")),
		});
		fc.assert(
			fc.property(fc.array(entry), (entries) => {
				const { files, commits, token_burn } = totals(entries);
				const ofKind = (type: string) => entries.filter((one) => one.type === type);
				const sum = (numbers: (number | null)[]) => numbers.reduce<number>((all, one) => all + (one ?? 0), 0);
				expect(sum(token_burn)).to.equal(sum(ofKind("message").map(({ tokens }) => tokens)));
				expect(token_burn).to.have.length(
					entries.length === 0 ? 0 : Math.floor(Math.max(...entries.map(({ t }) => t)) / 300) + 1,
				);
				expect(commits).to.have.length(ofKind("git").filter(({ hash }) => hash).length);
				for (const changed of files) {
					const own = ofKind("file").filter(({ label }) => label === changed.path);
					const isDeleted = own.some(({ action }) => action === "deleted");
					const first = own[0]?.action === "created" ? "new" : "mod";
					expect(changed.status).to.equal(isDeleted ? "del" : first);
					expect(changed.ins).to.equal(sum(own.map(({ ins }) => ins)));
				}
				expect(new Set(ofKind("file").map(({ label }) => label)).size).to.equal(files.length);
			}),
		);
	});

	it("stay within their bounds, and keep the newest", () => {
		const many = Array.from({ length: 1_200 }, (_one, n) => file(`${n}`, "created"));
		expect(totals(many).files.map(({ path }) => path)).to.deep.equal(many.slice(200).map(({ label }) => label));
		const long = Array.from({ length: 600 }, (_one, n) => file(`${n} ${"ä".repeat(500)}`, "created"));
		const { files } = totals(long);
		expect(jsonBytes(files)).to.be.within(190_000, 205 * 1_024);
		expect(files.at(-1)?.path).to.equal(long.at(-1)?.label);
	});
});
