import { expect } from "chai";
import { ConfigError } from "#shared/config/config.ts";
import { fitting, oneOf, whole } from "#services/pod-manager/pod-runtimes/runtime-arguments.ts";

describe("arguments of a runtime", () => {
	it("are returned as they are where they can be used", () => {
		expect([fitting("a", "x1", /^x\d$/, "x"), whole("b", 5, 0, 5), oneOf("c", "two", ["one", "two"])]).to.deep.equal([
			"x1",
			5,
			"two",
		]);
	});

	const wrong: Record<string, () => unknown> = {
		'Configuration key "pods.runtime.kwargs.a" has to be a digit: "x"': () => fitting("a", "x", /^\d$/, "a digit"),
		'Configuration key "pods.runtime.kwargs.a" has to be a digit: 1': () => fitting("a", 1, /^\d$/, "a digit"),
		'Configuration key "pods.runtime.kwargs.b" has to be a whole number from 0 to 5: 6': () => whole("b", 6, 0, 5),
		'Configuration key "pods.runtime.kwargs.b" has to be a whole number from 0 to 5: 0.5': () => whole("b", 0.5, 0, 5),
		'Configuration key "pods.runtime.kwargs.c" has to be one of one, two: "three"': () =>
			oneOf("c", "three", ["one", "two"]),
	};
	for (const [sentence, check] of Object.entries(wrong))
		it(`are refused: ${sentence}`, () => {
			expect(check).to.throw(ConfigError, sentence);
		});
});
