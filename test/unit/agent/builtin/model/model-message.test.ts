import { expect } from "chai";
import fc from "fast-check";
import { retainedFrom } from "#agent/builtin/model/compaction.ts";
import {
	alternating,
	mended,
	type ModelMessage,
	toolMessage,
	userMessage,
} from "#agent/builtin/model/model-message.ts";

function calls(...ids: string[]): ModelMessage {
	return {
		role: "assistant",
		content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "bash", input: {} })),
	};
}

function result(toolCallId: string, value = "done"): ModelMessage {
	return toolMessage({ type: "tool-result", toolCallId, toolName: "bash", output: { type: "text", value } });
}

const words: ModelMessage = { role: "assistant", content: [{ type: "text", text: "words" }] };

/** The ids of calls and of results, in order. */
function idsOf(messages: readonly ModelMessage[]): string[] {
	return messages.flatMap((message) =>
		message.role === "system"
			? []
			: [...message.content].flatMap((part) => {
					if (part.type === "tool-call") return [`call ${part.toolCallId}`];
					return part.type === "tool-result" ? [`result ${part.toolCallId}`] : [];
				}),
	);
}

describe("mended()", () => {
	it("does not change complete messages", () => {
		const whole = [userMessage("a"), calls("1", "2"), result("1"), result("2"), words];
		expect(mended(whole)).to.deep.equal(whole);
	});

	it("adds results to calls without one, right after them", () => {
		const torn = mended([userMessage("a"), calls("1", "2"), result("1"), userMessage("b")]);
		expect(idsOf(torn)).to.deep.equal(["call 1", "call 2", "result 1", "result 2"]);
		expect(torn.at(-1)).to.deep.equal(userMessage("b"));
	});

	it("drops results without a call", () => {
		expect(mended([result("0"), userMessage("a"), words])).to.deep.equal([userMessage("a"), words]);
	});
});

describe("alternating()", () => {
	it("makes one of several messages of the user in a row", () => {
		expect(alternating([userMessage("a"), userMessage("b"), words, userMessage("c")])).to.deep.equal([
			userMessage("a\n\nb"),
			words,
			userMessage("c"),
		]);
	});
});

describe("retainedFrom()", () => {
	const conversation = fc.array(
		fc.oneof(
			fc.constant([userMessage("question")]),
			fc.constant([words]),
			fc.integer({ min: 1, max: 4 }).map((count) => {
				const ids = Array.from({ length: count }, (_, index) => String(index));
				return [calls(...ids), ...ids.map((id) => result(id, "x".repeat(200)))];
			}),
		),
		{ minLength: 1, maxLength: 12 },
	);

	it("never separates a result from its call, and keeps a message", () => {
		fc.assert(
			fc.property(conversation, fc.integer({ min: 0, max: 2_000 }), (groups, tokens) => {
				const messages = groups.flat();
				const from = retainedFrom(messages, tokens);
				expect(messages[from]?.role).not.to.equal("tool");
				expect(
					messages.length === 1 ||
						from < messages.length ||
						messages.every(({ role }, i) => i === 0 || role === "tool"),
				).to.equal(true);
			}),
		);
	});

	it("keeps as much as fits", () => {
		const messages = Array.from({ length: 10 }, (_, n) => userMessage(`${n}`.padEnd(400, "x")));
		expect(retainedFrom(messages, 0)).to.equal(9);
		expect(retainedFrom(messages, 350)).to.equal(7);
		expect(retainedFrom(messages, 1_000_000)).to.equal(1);
	});
});
