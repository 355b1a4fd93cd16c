import { expect } from "chai";
import { UnprocessableError } from "#shared/base/errors.ts";
import { maxEventBytes, refuseLargeEvents } from "#shared/store/event-size.ts";
import { event } from "../../../support/stores/sample-collections.ts";

/** An event with a payload of exactly so many bytes. */
const sized = (bytes: number, unit = "x") => ({
	...event(1),
	data: JSON.stringify({ a: 1, b: unit.repeat((bytes - 14) / Buffer.byteLength(unit)) }),
});

describe("refuseLargeEvents()", () => {
	it("accepts events of up to 64 KiB, counted in bytes and not in characters", () => {
		expect(Buffer.byteLength(sized(maxEventBytes).data)).to.equal(maxEventBytes);
		refuseLargeEvents([]);
		refuseLargeEvents([sized(maxEventBytes), sized(maxEventBytes, "é")]);
		for (const unit of ["x", "é"])
			expect(() => refuseLargeEvents([event(1), sized(maxEventBytes + 2, unit)]))
				.to.throw(UnprocessableError, '"b" has 65')
				.with.property("type", "EVENT_TOO_LARGE");
	});
});
