import { expect } from "chai";
import type { AgentUpdate } from "#agent/coding-agents/coding-agent.ts";
import { withoutAddress } from "#agent/coding-agents/own-address.ts";

describe("withoutAddress()", () => {
	const shown = withoutAddress("http://127.0.0.1:44147/anthropic");
	const tales: readonly [said: string, shown: string][] = [
		["402, url: http://127.0.0.1:44147/openai-responses/responses", "402, url: the session's model proxy"],
		[
			"check your inference gateway (127.0.0.1:39273 or 127.0.0.1:44147).",
			"check your inference gateway (127.0.0.1:39273 or the session's model proxy).",
		],
		["See http://127.0.0.1:44147/v1/messages.", "See the session's model proxy."],
		["http://127.0.0.1:441478/", "http://127.0.0.1:441478/"],
	];
	for (const [said, wanted] of tales)
		it(`makes "${wanted}" of "${said}"`, () => {
			expect(shown({ type: "text", text: said })).to.deep.equal({ type: "text", text: wanted });
		});

	it("leaves tool calls, which show what happened, and everything when there is no proxy", () => {
		const tool: AgentUpdate = { type: "tool", id: "a", output: "127.0.0.1:44147" };
		expect(shown(tool)).to.equal(tool);
		const text: AgentUpdate = { type: "text", text: "127.0.0.1:44147" };
		expect(withoutAddress(undefined)(text)).to.equal(text);
	});
});
