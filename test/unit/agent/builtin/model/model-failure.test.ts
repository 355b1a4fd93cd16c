import { expect } from "chai";
import { ModelFailure, modelFailure } from "#agent/builtin/model/model-failure.ts";
import { now } from "#shared/base/clock.ts";

const secret = "sk-secret";

describe("modelFailure()", () => {
	it("says the provider's words and status, never the secret", () => {
		const failure = modelFailure({ statusCode: 401, message: `Wrong key ${secret}`, isRetryable: false }, secret);
		expect(failure.message).to.equal("The model's provider answered 401: Wrong key …");
		expect(failure).to.include({ isRetryable: false, isTooLong: false, retryAfterMs: undefined });
	});

	it("has the body without a message, and says so if there is none", () => {
		const blank = { statusCode: 502, message: "", isRetryable: true };
		expect(modelFailure({ ...blank, responseBody: "Bad gateway" }, secret).message).to.match(/502: Bad gateway$/);
		expect(modelFailure(blank, secret).message).to.match(/502: no reason given$/);
		expect(modelFailure(undefined, secret).message).to.equal("The model did not answer: no reason given");
	});

	it("repeats a bounded part of the words", () => {
		expect(modelFailure({ statusCode: 500, message: "x".repeat(100_000) }, secret).message.length).to.be.below(1_100);
	});

	it("treats a failure without a status as a broken connection, which may be retried", () => {
		expect(modelFailure(new TypeError("terminated"), secret)).to.include({ isRetryable: true });
		expect(modelFailure("overloaded", secret).message).to.equal("The model did not answer: overloaded");
	});

	it("does not change its own failures", () => {
		const failure = new ModelFailure("No");
		expect(modelFailure(failure, secret)).to.equal(failure);
	});

	it("reads how long to wait, as seconds or as a date", () => {
		const after = (value: string): number | undefined =>
			modelFailure({ statusCode: 429, message: "Slow down", responseHeaders: { "retry-after": value } }, secret)
				.retryAfterMs;
		expect(after("2")).to.equal(2_000);
		expect(after("soon")).to.equal(undefined);
		expect(after(new Date(now() - 60_000).toUTCString())).to.equal(0);
		expect(after(new Date(now() + 60_000).toUTCString())).to.be.within(50_000, 61_000);
	});

	const tooLong: [status: number, words: string, isTooLong: boolean][] = [
		[400, "This model's maximum context length is 8192 tokens", true],
		[400, "prompt is too long: 210000 tokens > 200000 maximum", true],
		[400, "the request exceeds the available context size", true],
		[413, "too many tokens", true],
		[400, "tools[0].name is wrong", false],
		[500, "maximum context length", false],
	];
	for (const [statusCode, message, isTooLong] of tooLong) {
		it(`${isTooLong ? "takes" : "does not take"} "${message}" (${statusCode}) for a conversation that is too long`, () => {
			expect(modelFailure({ statusCode, message }, secret).isTooLong).to.equal(isTooLong);
		});
	}
});
