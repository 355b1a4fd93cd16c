import { expect } from "chai";
import { templateRecord } from "#services/blueprints/template-sources/kubernetes/template-record.ts";

function read(spec: unknown) {
	const metadata = { name: "one", uid: "u", resourceVersion: "7", generation: 3 };
	return templateRecord({ metadata, spec });
}

describe("templateRecord()", () => {
	it("reads a template with its defaults, and what identifies its form", () => {
		const { read: found, ...rest } = read({ model: "m", workloadConfig: { agent: "builtin" } });
		expect(rest).to.deep.equal({
			name: "one",
			uid: "u",
			resourceVersion: "7",
			generation: 3,
			told: { observedGeneration: undefined, conditions: [] },
		});
		expect(found)
			.to.have.property("template")
			.that.deep.includes({
				name: "one",
				model: "m",
				workload_type: "session",
				is_default: false,
				workload_config: { agent: "builtin" },
			});
	});

	const wrong: [what: string, spec: unknown, reason: string, message: string][] = [
		["that is no map", "text", "InvalidMember", "spec is no map"],
		["with another member", { colour: "secret" }, "InvalidMember", "spec.colour does not exist"],
		["with a text for a list", { setupScripts: "secret" }, "InvalidMember", "spec.setupScripts: The"],
		["with a refused variable", { envVars: { PATH: "secret" } }, "InvalidMember", 'spec.envVars: The variable "PATH"'],
		[
			"with an unknown mode",
			{ workloadConfig: { permissionMode: "secret" } },
			"InvalidMember",
			"spec.workloadConfig.permissionMode: The permission_mode",
		],
		["that is too large", { systemPrompt: "secret".repeat(50_000) }, "TooLarge", "and may have 262144"],
	];
	for (const [what, spec, reason, message] of wrong)
		it(`refuses one ${what}, without a value of it`, () => {
			const { read: found } = read(spec);
			if (!("refusal" in found)) throw new Error("It was not refused");
			expect(found.refusal.reason).to.equal(reason);
			expect(found.refusal.message).to.include(message).and.to.not.include("secret");
		});

	it("names ten mistakes at most", () => {
		const { read: found } = read(Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`odd${n}`, 1])));
		expect(found)
			.to.have.nested.property("refusal.message")
			.that.matches(/spec\.odd9 does not exist; and 2 more$/);
	});
});
