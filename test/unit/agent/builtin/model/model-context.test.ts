import { expect } from "chai";
import { ModelContext } from "#agent/builtin/model/model-context.ts";
import { estimatedTokens, userMessage } from "#agent/builtin/model/model-message.ts";

describe("ModelContext", () => {
	const [first, second, third] = ["a", "b", "c"].map((letter) => userMessage(letter.repeat(4_000)));
	if (!first || !second || !third) throw new Error("unreachable");
	const each = estimatedTokens([first]);

	it("estimates everything without a count, including the system prompt and the tools", () => {
		const context = new ModelContext([first]);
		context.overhead = 500;
		context.add(second);
		context.count(0);
		expect(context.used).to.equal(500 + 2 * each);
	});

	it("uses the count, and estimates later messages", () => {
		const context = new ModelContext([first]);
		context.overhead = 500;
		context.count(1_234);
		expect(context.used).to.equal(1_234);
		context.add(second);
		expect(context.used).to.equal(1_234 + each);
	});

	it("replaces all but the last messages by a summary, and counts again", () => {
		const context = new ModelContext([first, second, third]);
		context.count(9_999);
		context.compact(userMessage("summary"), 1);
		expect(context.messages).to.deep.equal([userMessage("summary"), third]);
		expect(context.used).to.be.within(each, each + 50);
		context.compact(userMessage("summary"), 0);
		expect(context.messages).to.have.length(1);
	});
});
