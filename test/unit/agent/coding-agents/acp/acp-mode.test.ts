import { expect } from "chai";
import { AcpModes, modeRequest } from "#agent/coding-agents/acp/acp-mode.ts";

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

describe("AcpModes", () => {
	const named = [
		{ id: "default", name: "Default" },
		{ id: "plan", name: "Plan" },
	];
	const opened = { modes: { availableModes: named, currentModeId: "plan" }, choices: [] };
	const changed = (currentModeId: string) => ({ sessionUpdate: "current_mode_update", currentModeId });
	const said = (text: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

	it("tell the mode and those that can be chosen, and nothing for an agent without modes", () => {
		expect(new AcpModes(opened, "").notice).to.deep.equal({ type: "mode", id: "plan", name: "Plan", modes: named });
		expect(new AcpModes(opened, "default").notice?.id).to.equal("default");
		expect(new AcpModes({ modes: {}, choices: [] }, "").notice).to.equal(undefined);
		const choices = [{ ...option, currentValue: "auto" }];
		expect(new AcpModes({ modes: {}, choices }, "").notice?.id).to.equal("auto");
	});

	const tales: readonly [what: string, update: object, isAlone: boolean][] = [
		["an update", changed("plan"), true],
		["a text that is no part of the answer", said("[MODE_UPDATE] plan"), true],
	];
	for (const [what, update, isAlone] of tales) {
		it(`read a change that the agent tells by ${what}, and know the mode to set again`, () => {
			const own = new AcpModes(opened, "default");
			expect(own.updated({ ...update })).to.equal(isAlone);
			expect([own.notice?.id, own.lost]).to.deep.equal(["plan", "default"]);
			own.chosen("plan");
			expect(own.lost, "a person chose it").to.equal(undefined);
		});
	}

	it("read a change of the option, which tells more than the mode", () => {
		const choices = [{ ...option, currentValue: "default" }];
		const own = new AcpModes({ modes: {}, choices }, "default");
		const configOptions = [{ ...option, currentValue: "auto" }];
		expect(own.updated({ sessionUpdate: "config_option_update", configOptions })).to.equal(false);
		expect([own.notice?.id, own.lost]).to.deep.equal(["auto", "default"]);
	});

	it("leave a change that a person permitted", () => {
		const own = new AcpModes(opened, "plan");
		own.permit();
		own.updated(changed("default"));
		expect(own.lost).to.equal(undefined);
		own.updated(changed("plan"));
		expect(own.lost, "the next one is the agent's").to.equal("default");
	});

	const output = (text: string, status = "completed") => ({
		sessionUpdate: "tool_call_update",
		status,
		content: [{ type: "content", content: { type: "text", text } }],
	});

	it("read a change that only the output of a tool tells, by its beginning in the record", () => {
		const own = new AcpModes(opened, "default", {
			changes_mode: true,
			mode_outputs: { plan: "Plan mode is now active." },
		});
		for (const update of [output("Now: Plan mode is now active."), output("Plan mode is now active.", "in_progress")])
			own.updated(update);
		expect(own.lost).to.equal(undefined);
		expect(own.updated(output("Plan mode is now active. Your workflow:")), "the tool is shown").to.equal(false);
		expect([own.notice?.id, own.lost]).to.deep.equal(["plan", "default"]);
	});

	it("are not offered by an agent that does not take a change", () => {
		const own = new AcpModes(opened, "", { changes_mode: false, mode_outputs: {} });
		own.updated(changed("default"));
		expect([own.notice, own.offers("plan"), own.lost]).to.deep.equal([undefined, false, undefined]);
	});

	it("leave texts of answers that only look like it", () => {
		const own = new AcpModes(opened, "default");
		for (const text of ["[MODE_UPDATE] other", "see [MODE_UPDATE] plan", "[MODE_UPDATE] plan and more"])
			expect(own.updated(said(text)), text).to.equal(false);
		expect(own.notice?.id).to.equal("default");
	});
});
