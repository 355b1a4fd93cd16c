import { expect } from "chai";
import { answerBytes, jsonBytes } from "#shared/base/answer-size.ts";
import { logTail, type PodLogEntry } from "#shared/wire/pod/log/log-tail.ts";

const entry = (timestamp: number, level = "INFO", message = "x"): PodLogEntry => ({ timestamp, level, message });
const entries = (count: number, message?: string) => Array.from({ length: count }, (_, n) => entry(n, "INFO", message));
const times = (...args: Parameters<typeof logTail>) => logTail(...args).lines.map(({ timestamp }) => timestamp);

describe("logTail()", () => {
	it("has the newest entries, oldest first: 100, or as many as were asked for, up to 2,000", () => {
		const all = entries(2_500);
		expect(times(all)).to.deep.equal(all.slice(-100).map(({ timestamp }) => timestamp));
		expect(times(all, 2)).to.deep.equal([2_498, 2_499]);
		expect(times(all, 0)).to.deep.equal([2_499]);
		expect(times(all, 9_999)).to.have.length(2_000);
		expect(logTail(all, 2)).to.include({ total: 2_500, returned: 2 });
		expect(logTail([])).to.deep.equal({ total: 0, returned: 0, lines: [] });
	});

	it("has the requested level and higher ones", () => {
		const all = ["DEBUG", "INFO", "WARNING", "ERROR"].map((level, n) => entry(n, level));
		expect(times(all, 9, "WARNING")).to.deep.equal([2, 3]);
		expect(times(all, 9, "error")).to.deep.equal([3]);
		for (const level of [undefined, "DEBUG", "other"]) expect(times(all, 9, level)).to.deep.equal([0, 1, 2, 3]);
	});

	it("fits an answer, with the newest", () => {
		const { lines } = logTail(entries(2_000, "x".repeat(1_000)), 2_000);
		expect(lines.at(-1)?.timestamp).to.equal(1_999);
		expect(jsonBytes(lines)).to.be.within(answerBytes - 2_000, answerBytes + 1);
	});
});
