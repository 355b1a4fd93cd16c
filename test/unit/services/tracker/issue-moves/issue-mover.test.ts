import { expect } from "chai";
import { afterFailure, maxAttempts } from "#services/tracker/issue-moves/issue-mover.ts";
import {
	NotFoundError,
	TimeoutError,
	UnauthorizedError,
	UnavailableError,
	UnprocessableError,
	UpstreamError,
} from "#shared/base/errors.ts";

describe("afterFailure()", () => {
	for (const error of [
		new NotFoundError("gone"),
		new UnauthorizedError("refused"),
		new UnprocessableError("no state"),
	]) {
		it(`gives up after a ${error.name}`, () => {
			expect(afterFailure(error, 1)).to.deep.equal({ state: "failed", error: error.message });
		});
	}

	for (const error of [new UnavailableError("busy"), new UpstreamError("broken"), new TimeoutError("late")]) {
		it(`tries again after a ${error.name}, later each time`, () => {
			const waits = Array.from({ length: maxAttempts - 1 }, (_, n) => afterFailure(error, n + 1));
			for (const { state } of waits) expect(state).to.equal("waiting");
			const [first, last] = [waits[0]?.waitMs ?? 0, waits.at(-1)?.waitMs ?? 0];
			expect(first).to.be.within(2_500, 5_000);
			expect(last).to.be.within(450_000, 900_000);
			const all = waits.reduce((sum, { waitMs = 0 }) => sum + waitMs, 0);
			expect(all, "all tries take less than an hour").to.be.below(3_600_000);
		});

		it(`gives up after the last try with a ${error.name}`, () => {
			expect(afterFailure(error, maxAttempts)).to.deep.equal({ state: "failed", error: error.message });
		});
	}

	it("shows no sentence of other errors, and cuts long ones", () => {
		expect(afterFailure(new TypeError("token abc"), maxAttempts).error).to.equal("The issue could not be moved");
		expect(afterFailure(new NotFoundError("x".repeat(5_000)), 1).error).to.have.length(1_000);
	});
});
