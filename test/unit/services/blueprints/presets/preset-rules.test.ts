import { expect } from "chai";
import { changedPreset, newPreset, presetKind } from "#services/blueprints/presets/preset-rules.ts";
import { preset as presetFields, presetCreate } from "#shared/contracts/blueprints/presets.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { InvalidParametersError } from "#shared/base/errors.ts";
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

	it("refuses every variable that a launch would refuse", () => {
		const names = [
			"PATH",
			"HOME",
			"LD_PRELOAD",
			"NODE_OPTIONS",
			"HTTPS_PROXY",
			"SSL_CERT_FILE",
			"ATELIER_X",
			"lower",
			"UID",
		];
		for (const name of names)
			expect(() => presetKind.refuse?.(preset({ env_vars: { [name]: "canary" } })), name)
				.to.throw(InvalidParametersError)
				.that.satisfies((error: unknown) => {
					const told = JSON.stringify(error);
					return told.includes(`The variable \\"${name}\\" `) && !told.includes("canary");
				});
		presetKind.refuse?.(whole);
	});

	it("refuses to clear the name", () => {
		expect(() => changedPreset(whole, { name: null }, "now")).to.throw(InvalidParametersError);
	});
});
