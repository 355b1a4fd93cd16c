import { expect } from "chai";
import { UnprocessableError } from "#shared/errors.ts";
import { permissionMode } from "#services/sessions/commands/permission-mode.ts";

const template = (permission_mode: unknown) => ({ name: "careful", workload_config: { permission_mode } });

describe("permissionMode()", () => {
	it("prefers the request to the template, and the template to the default", () => {
		expect(permissionMode({ permission_mode: "auto" }, template("ask"))).to.equal("auto");
		expect(permissionMode({ permission_mode: null }, template("ask"))).to.equal("ask");
		expect(permissionMode({}, { name: "plain", workload_config: {} })).to.equal("auto");
		expect(permissionMode({}, undefined)).to.equal("auto");
	});

	it("refuses a template with a mode that does not exist, naming both", () => {
		for (const mode of ["never", 1, true]) {
			expect(() => permissionMode({}, template(mode)), String(mode))
				.to.throw(UnprocessableError)
				.with.property("message", 'Template "careful" has a permission_mode that does not exist; allowed: auto, ask');
		}
	});
});
