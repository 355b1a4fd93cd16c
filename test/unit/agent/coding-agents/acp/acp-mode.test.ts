import { expect } from "chai";
import { modeRequest } from "#agent/coding-agents/acp/acp-mode.ts";

const modes = { availableModes: [{ id: "default" }, { id: "yolo" }] };
const option = {
	id: "mode-option",
	category: "mode",
	type: "select",
	options: [{ value: "default" }, { value: "auto" }],
};

describe("modeRequest()", () => {
	it("is a separate request if the agent has modes, rather than an option of the same name", () => {
		expect(modeRequest("yolo", { modes, choices: [] })).to.deep.equal(["session/set_mode", { modeId: "yolo" }]);
		expect(modeRequest("default", { modes, choices: [option] })).to.deep.equal([
			"session/set_mode",
			{ modeId: "default" },
		]);
	});

	it("is an option if the agent has one", () => {
		const request = ["session/set_config_option", { configId: "mode-option", value: "auto" }];
		expect(modeRequest("auto", { modes, choices: [{ category: "model", type: "select" }, option] })).to.deep.equal(
			request,
		);
	});

	it("is undefined for a mode that the agent does not have", () => {
		for (const choices of [[], [option], [{ ...option, type: "text" }], [{ ...option, category: "model" }]])
			expect(modeRequest("other", { modes, choices })).to.equal(undefined);
		expect(modeRequest("auto", { modes: {}, choices: [{ ...option, type: "text" }] })).to.equal(undefined);
	});
});
