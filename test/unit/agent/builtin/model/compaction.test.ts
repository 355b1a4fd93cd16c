import { expect } from "chai";
import fc from "fast-check";
import { isNearlyFull, retainedFrom } from "#agent/builtin/model/compaction.ts";
import { ModelContext } from "#agent/builtin/model/model-context.ts";
import { estimatedTokens, type ModelMessage, toolMessage, userMessage } from "#agent/builtin/model/model-message.ts";

function assistant(text: string): ModelMessage {
	return { role: "assistant", content: [{ type: "text", text }] };
}

function result(text: string): ModelMessage {
	return toolMessage({ type: "tool-result", toolCallId: "c", toolName: "t", output: { type: "text", value: text } });
}

const text = fc.integer({ min: 0, max: 400 }).map((length) => "x".repeat(length));
const message = fc.oneof(text.map(userMessage), text.map(assistant), text.map(result));

describe("retainedFrom()", () => {
	it("keeps no result without its call, never everything, and the last message if it is no result", () => {
		fc.assert(
			fc.property(fc.array(message, { minLength: 1, maxLength: 20 }), fc.nat(2_000), (messages, tokens) => {
				const from = retainedFrom(messages, tokens);
				expect(from).to.be.within(1, messages.length);
				expect(messages[from]?.role).not.to.equal("tool");
				if (messages.length > 1 && messages.at(-1)?.role !== "tool") expect(from).to.be.below(messages.length);
			}),
		);
	});

	it("keeps no more than fits, except for the last exchange", () => {
		fc.assert(
			fc.property(fc.array(message, { minLength: 1, maxLength: 20 }), fc.nat(2_000), (messages, tokens) => {
				const from = retainedFrom(messages, tokens);
				const own = messages.findLastIndex(({ role }) => role !== "tool");
				if (from < own) expect(estimatedTokens(messages.slice(from))).to.be.at.most(tokens);
			}),
		);
	});

	it("keeps more when there is more room", () => {
		fc.assert(
			fc.property(
				fc.array(message, { minLength: 1, maxLength: 20 }),
				fc.nat(1_000),
				fc.nat(1_000),
				(messages, room, more) => {
					expect(retainedFrom(messages, room + more)).to.be.at.most(retainedFrom(messages, room));
				},
			),
		);
	});
});

describe("isNearlyFull()", () => {
	it("begins above four fifths of the window", () => {
		const context = new ModelContext([userMessage("x")]);
		context.count(800);
		expect(isNearlyFull(context, 1_000)).to.equal(false);
		context.count(801);
		expect(isNearlyFull(context, 1_000)).to.equal(true);
	});
});
