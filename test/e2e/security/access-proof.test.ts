/**
 * Every caller tries every route: the platform keeps to the tables of access (decision 0054).
 * Main: nobody reaches what is not theirs.
 */
import { expect } from "chai";
import type { ProofResult } from "../../../cli/doctor/proof.ts";
import { provePlatform, startProvenPlatform } from "../../support/access/proven-platform.ts";
import type { TestPlatform } from "../../support/platform/start-platform.ts";

describe("the proof of access", function () {
	this.timeout(180_000);
	let platform: TestPlatform;
	let result: ProofResult & { requests: number };

	before(async () => {
		platform = await startProvenPlatform();
		result = await provePlatform(platform);
	});
	after(() => platform?.[Symbol.asyncDispose]());

	it("finds no hole", () => {
		const { cells, holes, outcomes, requests } = result;
		if (holes.length > 0) throw new Error(`${holes.length} holes:\n${holes.join("\n")}`);
		console.log(`      ${cells} cells by ${requests} requests: ${JSON.stringify(outcomes)}`);
	});

	it("leaves no route out, and has cells of every outcome", () => {
		expect(result.leftOut).to.deep.equal([]);
		expect(result.outcomes).to.have.all.keys("admitted", "forbidden", "stale", "unauthenticated", "unknown");
		expect(result.cells).to.be.above(1_800);
	});
});
