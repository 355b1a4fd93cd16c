import { expect } from "chai";
import { inContractDialect } from "#agent/server/contract-dialect.ts";
import type { PodFrame } from "#shared/pod/frames.ts";

const usage = {
	input_tokens: 10,
	output_tokens: 2,
	cache_read_input_tokens: 7,
	cache_creation_input_tokens: 3,
};

describe("inContractDialect()", () => {
	it("names the model in the member that the contract's clients read", () => {
		const start: PodFrame = { type: "message_start", message: { id: "t", role: "assistant", content: [] } };
		const [, opened] = inContractDialect(start, "some-model");
		expect(opened).to.deep.include({ type: "assistant" });
		expect(Object(opened).message).to.include({ id: "t", model: "some-model" });
		const [result] = inContractDialect({ type: "result", usage, total_cost_usd: 0.25 }, "some-model");
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

	it("invents no model, count or cost", () => {
		expect(inContractDialect({ type: "result", usage }, undefined)).to.deep.equal([{ type: "result", usage }]);
		expect(inContractDialect({ type: "result" }, "m")).to.deep.equal([{ type: "result" }]);
		const [result] = inContractDialect({ type: "result", usage }, "m");
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
