import { expect } from "chai";
import { inEitherCase } from "#services/sessions/either-case.ts";
import { InvalidParametersError } from "#shared/base/errors.ts";

describe("inEitherCase()", () => {
	const known = ["DEBUG", "ERROR"] as const;

	it("returns the known name, however it was written", () => {
		for (const text of ["error", "ERROR", "Error"]) expect(inEitherCase("level", known, text)).to.equal("ERROR");
	});

	it("refuses every other text with the parameter and the known names", () => {
		for (const text of ["FOO", "", "ERRO", " ERROR"]) {
			try {
				inEitherCase("level", known, text);
				expect.fail(text);
			} catch (error) {
				if (!(error instanceof InvalidParametersError)) throw error;
				expect(error.failures).to.deep.include({
					type: "enumValue",
					path: ["level"],
					message: "Input should be one of: DEBUG, ERROR",
					expected: known,
				});
			}
		}
	});
});
