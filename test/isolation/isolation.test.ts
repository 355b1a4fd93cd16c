/**
 * The short version of `npm run test:isolation`: the other user's requests succeed during every attack.
 * Long: each attack lasts for seconds.
 * Alone: it measures time under load.
 */
import { expect } from "chai";
import type { TestPlatform } from "../support/platform/start-platform.ts";
import { attackNamed } from "./attacks.ts";
import { attackOn, type IsolationReport, twoUsers } from "./isolation-run.ts";
import { table } from "./table.ts";

const seconds = 2;

describe("two users on one platform", function () {
	this.timeout(120_000);
	let platform: TestPlatform;
	const reports: IsolationReport[] = [];

	before(async () => {
		platform = await twoUsers();
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		console.log(table(reports));
	});

	for (const name of ["huge-events", "content-type", "deep-json", "cursors", "usage", "poisoned-id"]) {
		it(`${name}: nothing of the other user fails, and their session goes on`, async () => {
			const report = await attackOn(platform, attackNamed(name), seconds);
			reports.push(report);
			expect(report.failures).to.deep.equal([]);
			expect(platform.processes[0]?.hasEnded, platform.output).to.equal(false);
		});
	}
});
