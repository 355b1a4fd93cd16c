import { expect } from "chai";
import { ContractDialect, type DialectSource, inContractDialect } from "#agent/server/contract-dialect.ts";
import type { PodFrame } from "#shared/wire/pod/frames.ts";

const usage = {
	input_tokens: 10,
	output_tokens: 2,
	cache_read_input_tokens: 7,
	cache_creation_input_tokens: 3,
};

const start: PodFrame = { type: "message_start", message: { id: "t", role: "assistant", content: [] } };
const block: PodFrame = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };

function dialectOf(source: Partial<DialectSource> = {}): ContractDialect {
	return new ContractDialect({ model: undefined, usedSoFar: undefined, isInTurn: false, ...source });
}

function typesOf(frames: readonly PodFrame[]): string[] {
	return frames.map(({ type }) => type);
}

describe("ContractDialect", () => {
	const usedSoFar = { input: 10, output: 2, cache_read: 7, cache_write: 3 };

	it("opens a message before its first block, with the model and what the turn has read by then", () => {
		const dialect = dialectOf({ model: "some-model", usedSoFar });
		expect(dialect.shared(start)).to.deep.equal([start]);
		const [opened, ...others] = dialect.shared(block);
		expect(Object(opened)).to.deep.include({ type: "assistant" });
		expect(Object(opened).message).to.deep.include({ id: "t", model: "some-model", usage });
		expect(others).to.deep.equal([block]);
		expect(typesOf([...dialect.shared(block), ...dialect.shared({ type: "message_stop" })])).to.not.include(
			"assistant",
		);
	});

	it("opens a message without blocks at its end, and invents no model or count", () => {
		const dialect = dialectOf();
		dialect.shared(start);
		const [opened] = dialect.shared({ type: "message_stop" });
		expect(Object(opened).message).to.have.all.keys("id", "role", "content");
	});

	it("opens it once for a client that connects during the turn, before or after the first block", () => {
		const dialect = dialectOf();
		dialect.shared(start);
		expect(
			typesOf([...dialect.greeting(start), ...dialect.shared(block)]).filter((type) => type === "assistant"),
		).to.have.length(1);
		expect(typesOf(dialect.greeting(start))).to.deep.equal(["message_start", "assistant"]);
	});

	it("refuses without ending an answer: clients take an error for its end", () => {
		const refusal: PodFrame = { type: "error", content: "No", error: "No", refused: "rewind_files" };
		const harmless = { type: "system", subtype: "refused", content: "No" };
		expect(dialectOf().reply(refusal)).to.deep.equal([harmless]);
		const message: PodFrame = { ...refusal, id: "m", refused: "user" };
		expect(dialectOf({ isInTurn: true }).reply(message)).to.deep.equal([{ ...harmless, id: "m" }]);
		// Nothing else would end the waiting for an answer to this message.
		expect(dialectOf().reply(message)).to.deep.equal([message]);
	});
});

describe("inContractDialect()", () => {
	it("names the tokens of an answer in the members that the contract's clients read", () => {
		const [written, result] = inContractDialect({ type: "result", usage, total_cost_usd: 0.25 }, "some-model");
		expect(written).to.deep.equal({ type: "message_delta", delta: {}, usage });
		expect(Object(result).modelUsage).to.deep.equal({
			"some-model": {
				inputTokens: 10,
				outputTokens: 2,
				cacheReadInputTokens: 7,
				cacheCreationInputTokens: 3,
				costUSD: 0.25,
			},
		});
	});

	it("gives an answer of tools alone a text, because clients hide an answer without one", () => {
		const [result] = inContractDialect({ type: "result", result: "" }, undefined);
		expect(Object(result).result).to.equal("(The answer has no text.)");
		const said: PodFrame = { type: "result", result: "done" };
		expect(inContractDialect(said, undefined)).to.deep.equal([said]);
	});

	it("invents no model, count or cost", () => {
		expect(inContractDialect({ type: "result", usage }, undefined)).to.deep.equal([{ type: "result", usage }]);
		expect(inContractDialect({ type: "result" }, "m")).to.deep.equal([{ type: "result" }]);
		const [, result] = inContractDialect({ type: "result", usage }, "m");
		expect(Object(result).modelUsage.m).to.not.have.property("costUSD");
	});

	it("keeps the kind of a tool for which clients have no name", () => {
		const block = { type: "tool_use", id: "t", name: "constructor", input: { command: "x" } };
		const [started, delta] = inContractDialect({ type: "content_block_start", index: 4, content_block: block }, "m");
		expect(Object(started).content_block).to.deep.equal({ ...block, input: {} });
		expect(delta).to.deep.include({ index: 4, delta: { type: "input_json_delta", partial_json: '{"command":"x"}' } });
	});

	it("does not change other frames", () => {
		const frame: PodFrame = { type: "context", used: 1, size: 2 };
		expect(inContractDialect(frame, "m")).to.deep.equal([frame]);
	});
});
