import { expect } from "chai";
import fc from "fast-check";
import type { NumberedReport } from "#agent/reporting/history-report.ts";
import { shrinkReports } from "#agent/reporting/spool-shrink.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";

function report(n: number, more: Partial<NumberedReport> = {}): NumberedReport {
	return { launch: 1, n, logs: [], turns: [], ...more };
}

function lines(count: number) {
	return Array.from({ length: count }, (_, index) => ({
		timestamp: 1.5,
		level: "INFO",
		logger: "test",
		message: `line ${index}`,
	}));
}

function patch(id: string) {
	return { id, piece: 0, pieces: 1, text: "p".repeat(500), truncated: false };
}

const size = (reports: readonly NumberedReport[]): number => reports.reduce((sum, one) => sum + jsonBytes(one), 0);

describe("shrinkReports()", () => {
	it("drops raw events before patches, and entries of the timeline only with whole reports", () => {
		const at = "2026-11-20T20:00:00.000Z";
		const event = { event_type: "error", timestamp: at, data: { text: "e".repeat(500) }, sequence: 0 };
		const entry = { at, type: "error", label: "kept" } as const;
		const reports = [report(1, { events: [event], timeline: [entry] }), report(2, { diff: patch("old") }), report(3)];
		const [first, ...others] = shrinkReports(reports, size(reports) - 400);
		expect(first).to.deep.equal(report(1, { timeline: [entry] }));
		expect(others).to.deep.equal(reports.slice(1));
	});

	it("does not change reports that fit", () => {
		const reports = [report(1, { logs: lines(3) }), report(2)];
		expect(shrinkReports(reports, size(reports))).to.deep.equal(reports);
	});

	it("drops the oldest log lines with their count, then older patches, and never the newest", () => {
		const reports = [
			report(1, { logs: lines(20) }),
			report(2, { diff: patch("old") }),
			report(3, { diff: patch("new") }),
		];
		const [first, second, third] = shrinkReports(reports, size(reports) - 1_300);
		expect(first?.logs.map(({ message }) => message)).to.deep.equal([
			"20 log lines were dropped because the platform was away",
		]);
		expect([first?.n, second?.n, third?.n]).to.deep.equal([1, 2, 3]);
		expect(third?.diff).to.deep.equal(patch("new"));
		const [, without] = shrinkReports(reports, size(reports) - 1_800);
		expect(without).to.deep.equal(report(2));
	});

	it("keeps the newest patch against each base", () => {
		const reports = [
			report(1, { diff: patch("old") }),
			report(2, { branch_diff: patch("b") }),
			report(3, { diff: patch("new") }),
		];
		expect(shrinkReports(reports, size(reports) - 400)).to.deep.equal([report(1), ...reports.slice(1)]);
	});

	it("always fits, and keeps the newest report", () => {
		const kinds = fc.array(fc.constantFrom("logs", "patch"), { minLength: 1, maxLength: 20 });
		fc.assert(
			fc.property(kinds, fc.integer({ min: 1_000, max: 20_000 }), (wanted, limit) => {
				const reports = wanted.map((kind, index) =>
					report(index, kind === "logs" ? { logs: lines(30) } : { diff: patch(`p${index}`) }),
				);
				const left = shrinkReports(reports, limit);
				expect(size(left)).to.be.at.most(limit);
				expect(left.at(-1)?.n).to.equal(reports.at(-1)?.n);
			}),
		);
	});
});
