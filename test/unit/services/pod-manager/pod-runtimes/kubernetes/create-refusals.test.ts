import { expect } from "chai";
import { PodRefused } from "#services/pod-manager/pod-refused.ts";
import { ApiError, noAnswer, refusalError } from "#shared/kubernetes/api/api-error.ts";
import { refuse } from "#services/pod-manager/pod-runtimes/kubernetes/create-refusals.ts";
import { statusReasons } from "#shared/contracts/sessions/status-reasons.ts";
import { refusals } from "../../../../../support/kubernetes/recorded/refusals.ts";

describe("refuse() for a cluster", () => {
	function thrownFor(error: unknown, signal?: AbortSignal): unknown {
		try {
			return refuse(error, signal);
		} catch (thrown) {
			return thrown;
		}
	}

	for (const { status, message, code, isFinal } of refusals)
		it(`says ${isFinal ? "finally " : ""}${code} for ${status ?? "no answer"}: ${message.slice(0, 100)}`, () => {
			const answered =
				status === undefined ? noAnswer("Unreachable", message) : refusalError({ status, body: { message } });
			const refusal = thrownFor(answered);
			expect(refusal).to.be.an.instanceOf(PodRefused).and.include({ code, final: isFinal });
			expect((refusal as Error).message).to.equal(`${statusReasons[code][0]}: ${message}`);
		});

	it("says at most 1,200 characters on one line, whatever the API answers", () => {
		const body = { message: `Pod is invalid\u0000\n\u001b[31m${"x".repeat(100_000)}` };
		const refusal = thrownFor(refusalError({ status: 422, body })) as Error;
		expect(refusal.message.length).to.be.within(900, 1_200);
		expect(refusal.message).to.not.match(/\p{Cc}/u);
	});

	it("throws a conflict and other errors as they are, and the reason of the signal before all", () => {
		for (const error of [new ApiError({ status: 409, reason: "Conflict", message: "changed" }), new Error("own")])
			expect(thrownFor(error)).to.equal(error);
		const reason = new Error("The pass is over");
		expect(thrownFor(new Error("own"), AbortSignal.abort(reason))).to.equal(reason);
	});
});
