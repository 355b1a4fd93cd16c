import { expect } from "chai";
import fc from "fast-check";
import { packReports, patchReports } from "#agent/reporting/history-report.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { historyReport, maxPatchPiece } from "#shared/contracts/sessions/history.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";

const check = compileSchema(historyReport);

function line(message: string) {
	return { timestamp: 1.5, level: "INFO", logger: "test", message };
}

function turn(id: string, content: string): ConversationTurn {
	return { id, role: "user", content, parts: [], created_at: "2026-11-20T20:00:00.000Z", metadata: {} };
}

describe("packReports()", () => {
	it("makes no report of nothing", () => expect(packReports([], [])).to.deep.equal([]));

	it("loses nothing, keeps the order, and makes valid reports", () => {
		const lengths = fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 6 });
		fc.assert(
			fc.property(lengths, lengths, (logLengths, turnLengths) => {
				const logs = logLengths.map((length) => line('"'.repeat(Math.floor(length / 50))));
				const turns = turnLengths.map((length, index) => turn(`t${index}`, "x".repeat(length)));
				const reports = packReports(logs, turns);
				expect(reports.flatMap((report) => report.logs)).to.deep.equal(logs);
				expect(reports.flatMap((report) => report.turns)).to.deep.equal(turns);
				for (const report of reports) {
					expect(jsonBytes(report)).to.be.below(900 * 1024 - 500);
					expect(check({ n: 1, ...structuredClone(report) })).to.deep.equal([]);
				}
			}),
			{ numRuns: 30 },
		);
	});

	it("carries entries and events, each in order and within the bounds of a report", () => {
		const at = "2026-11-20T20:00:00.000Z";
		const entry = fc
			.string({ minLength: 1, maxLength: 1_000 })
			.map((label) => ({ entry: { at, type: "git", label } as const }));
		const event = fc
			.string({ maxLength: 1_000 })
			.map((text) => ({ event: { event_type: "error", timestamp: at, data: { text } } }));
		fc.assert(
			fc.property(fc.array(fc.oneof(entry, event), { maxLength: 300, size: "max" }), (records) => {
				const reports = packReports([line("first")], [turn("t", "x")], records);
				const entries = records.flatMap((record) => ("entry" in record ? [record.entry] : []));
				const events = records.flatMap((record) => ("event" in record ? [record.event] : []));
				expect(reports.flatMap(({ timeline = [] }) => timeline)).to.deep.equal(entries);
				expect(reports.flatMap((report) => report.events ?? [])).to.deep.equal(events);
				for (const report of reports) {
					const numbered = report.events?.map((one, sequence) => ({ ...one, sequence }));
					const sent = { n: 1, ...structuredClone(report), ...(numbered && { events: structuredClone(numbered) }) };
					expect(check(sent)).to.deep.equal([]);
				}
			}),
			{ numRuns: 30 },
		);
	});

	it("makes several reports of many small items", () => {
		const reports = packReports(
			Array.from({ length: 2_500 }, () => line("x")),
			[],
		);
		expect(reports.map(({ logs }) => logs.length)).to.deep.equal([1_000, 1_000, 500]);
	});

	it("cuts a turn without room, with a mark", () => {
		const [report] = packReports([], [turn("large", "x".repeat(2_000_000))]);
		expect(report?.turns[0]?.metadata).to.deep.equal({ cut: true });
		expect(jsonBytes(report)).to.be.below(900 * 1024);
	});
});

describe("patchReports()", () => {
	it("divides a patch into pieces that give the same patch", () => {
		for (const patch of ["", "x", `${"\u0001😀\n".repeat(60_000)}`, "y".repeat(1_000_000)]) {
			const pieces = patchReports({ patch, truncated: true }, "last-commit").flatMap(({ diff }) =>
				diff ? [diff] : [],
			);
			expect(pieces.map(({ text }) => text).join("")).to.equal(patch);
			expect(Math.max(...pieces.map(({ text }) => jsonBytes(text)))).to.be.at.most(maxPatchPiece);
			expect(pieces.map(({ piece }) => piece)).to.deep.equal(pieces.map((_, index) => index));
			expect(pieces.every((one) => one.pieces === pieces.length && one.truncated)).to.equal(true);
			expect(new Set(pieces.map(({ id }) => id)).size).to.equal(1);
		}
	});
});
