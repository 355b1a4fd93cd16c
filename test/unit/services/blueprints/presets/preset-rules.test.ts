import { expect } from "chai";
import { changedPreset, newPreset } from "#services/blueprints/presets/preset-rules.ts";
import { preset as presetFields, presetCreate } from "#shared/contracts/blueprints/presets.ts";
import { compileSchema } from "#shared/bus/validator.ts";
import { InvalidParametersError } from "#shared/errors.ts";
import { unknownId } from "../../../../support/conformance/request.ts";
import { completed } from "../../../../support/completed.ts";

const preset = (members: object) => newPreset(completed(presetCreate, { name: "p", ...members }), unknownId, "then");
const whole = preset({ model: "m", source: { type: "git" }, env_vars: { A: "1" }, skills: [{ name: "s" }] });

describe("changedPreset()", () => {
	it("writes the members that are present", () => {
		expect(changedPreset(whole, { model: "n" }, "now")).to.deep.equal({ ...whole, model: "n", updated_at: "now" });
	});

	it("clears every member that is null to what a new preset has", () => {
		const names = Object.keys(presetCreate).filter((name) => name !== "name");
		const cleared = changedPreset(whole, Object.fromEntries(names.map((name) => [name, null])), "now");
		expect(cleared).to.deep.equal({ ...preset({}), updated_at: "now" });
		expect(compileSchema(presetFields)(structuredClone(cleared))).to.deep.equal([]);
	});

	it("refuses to clear the name", () => {
		expect(() => changedPreset(whole, { name: null }, "now")).to.throw(InvalidParametersError);
	});
});
