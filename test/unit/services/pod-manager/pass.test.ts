import { expect } from "chai";
import fc from "fast-check";
import { backoffMs } from "#services/pod-manager/pass.ts";

describe("backoffMs", () => {
	it("doubles from a second to half a minute, half of it by chance", () => {
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 1_000_000 }), (attempts) => {
				const most = attempts > 5 ? 30_000 : Math.min(30_000, 1_000 * 2 ** Math.max(0, attempts - 1));
				expect(backoffMs(attempts)).to.be.within(most / 2, most);
			}),
		);
	});
});
