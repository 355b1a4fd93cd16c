import { expect } from "chai";
import { UnprocessableError } from "#shared/base/errors.ts";
import { permissionMode } from "#services/sessions/commands/permission-mode.ts";

const template = (value: unknown) => ({ label: 'Template "careful"', value });

describe("permissionMode()", () => {
	it("returns the mode, or the default where no level has one", () => {
		expect(permissionMode(template("ask"))).to.equal("ask");
		expect(permissionMode(template("auto"))).to.equal("auto");
		expect(permissionMode(undefined)).to.equal("auto");
	});

	it("refuses a template with a mode that does not exist, naming both", () => {
		for (const mode of ["never", 1, true]) {
			expect(() => permissionMode(template(mode)), String(mode))
				.to.throw(UnprocessableError)
				.with.property("message", 'Template "careful" has a permission_mode that does not exist; allowed: auto, ask');
		}
	});
});
