import { expect } from "chai";
import { TokenMeter } from "#shared/model-proxy/metering/token-meter.ts";

const counts = (input: number, output: number) => ({ input, output, cache_read: 0, cache_write: 0 });

describe("TokenMeter", () => {
	it("sums calls that have ended, and beside them what is known of calls under way", () => {
		const meter = new TokenMeter();
		expect([meter.total, meter.soFar]).to.deep.equal([undefined, undefined]);
		meter.begin("a", counts(100, 1));
		expect([meter.total, meter.soFar]).to.deep.equal([undefined, counts(100, 1)]);
		meter.end("a", counts(100, 20));
		meter.begin("b", counts(5, 1));
		expect([meter.total, meter.soFar]).to.deep.equal([counts(100, 20), counts(105, 21)]);
		meter.end("b", undefined);
		expect([meter.total, meter.soFar]).to.deep.equal([counts(100, 20), counts(100, 20)]);
	});
});
