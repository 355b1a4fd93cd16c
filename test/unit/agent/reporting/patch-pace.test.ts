import { expect } from "chai";
import fc from "fast-check";
import { type PatchEvent, type PatchPace, patchPaces } from "#agent/reporting/patch-pace.ts";

const events: PatchEvent[] = ["turnEnded", "ticked", "begun", "ended"];

function after(happened: readonly PatchEvent[]): PatchPace {
	return happened.reduce<PatchPace>((pace, event) => patchPaces[event][pace], "fresh");
}

describe("patchPaces", () => {
	it("make a patch due after a turn and a tick, in any order", () => {
		expect(after(["turnEnded", "ticked"])).to.equal("due");
		expect(after(["ticked", "turnEnded"])).to.equal("due");
		expect(after(["turnEnded", "turnEnded"])).to.equal("waiting");
		expect(after(["ticked", "ticked"])).to.equal("idle");
	});

	it("want another turn and another tick after each patch, also for a turn that ends while it is made", () => {
		expect(after(["turnEnded", "ticked", "begun"])).to.equal("fresh");
		expect(after(["turnEnded", "ticked", "begun", "turnEnded", "ticked"])).to.equal("due");
	});

	it("are due exactly when a turn and a tick have come since the last patch, and never after the end", () => {
		fc.assert(
			fc.property(fc.array(fc.constantFrom(...events)), (happened) => {
				const since = happened.slice(happened.lastIndexOf("begun") + 1);
				const isDue = since.includes("turnEnded") && since.includes("ticked") && !happened.includes("ended");
				expect(after(happened) === "due").to.equal(isDue);
				expect(after(happened) === "closed").to.equal(happened.includes("ended"));
			}),
		);
	});
});
