/**
 * Every adapter of a git provider or tracker against a server in the hands of an attacker: a clear error each, nothing
 * leaked, and no call beyond its budget. `ATELIER_EVIL_TABLE=<file>` writes what came of each attempt.
 * Night: 3,600 attempts, of which many wait as long as a provider asks.
 */
import { expect } from "chai";
import { writeFileSync } from "node:fs";
import { type Attempt } from "../../support/providers/evil-provider/attempt.ts";
import { attemptTable } from "../../support/providers/evil-provider/attempt-table.ts";
import { Elsewhere } from "../../support/providers/evil-provider/elsewhere.ts";
import { scenarios } from "../../support/providers/evil-provider/scenarios/all-scenarios.ts";
import { subjects } from "../../support/providers/evil-provider/subjects/all-subjects.ts";
import { attemptsOf } from "../../support/providers/evil-provider/trials.ts";

/** The memory that thousands of hostile answers may take together, of which single ones have a gigabyte. */
const maxGrowth = 600 * 1_048_576;

describe("an evil provider", () => {
	const all: Attempt[] = [];
	const printed: string[] = [];
	const usual = { log: console.log, error: console.error, warn: console.warn };
	let elsewhere: Elsewhere;

	before(async () => {
		elsewhere = await Elsewhere.start();
		// Nothing that adapters and their libraries print may have a token.
		const keep = (...texts: unknown[]) => void printed.push(texts.map(String).join(" "));
		Object.assign(console, { error: keep, warn: keep });
	});
	after(async () => {
		Object.assign(console, usual);
		await elsewhere[Symbol.asyncDispose]();
		const file = process.env["ATELIER_EVIL_TABLE"];
		if (file !== undefined) writeFileSync(file, `${attemptTable(all)}\n`);
	});

	it("has more than forty ways, each with a name of its own", () => {
		expect(new Set(scenarios.map(({ name }) => name)).size).to.equal(scenarios.length);
		expect(scenarios.length).to.be.greaterThan(40);
	});

	for (const subject of subjects) {
		it(`learns nothing from ${subject.name}, and gets no more calls than an operation may make`, async () => {
			const before = process.memoryUsage.rss();
			const attempts = await attemptsOf(subject, elsewhere);
			all.push(...attempts);
			const faults = attempts.flatMap(({ trial, faults: found }) =>
				found.map((fault) => `${trial.operation.name}, ${trial.scenario.name}: ${fault}`),
			);
			expect(faults.join("\n")).to.equal("");
			expect(attempts).to.have.length(subject.operations.length * scenarios.length);
			expect(process.memoryUsage.rss() - before).to.be.lessThan(maxGrowth);
			expect(printed.join("\n")).to.not.include("canary-");
		}).timeout(300_000);
	}
});
