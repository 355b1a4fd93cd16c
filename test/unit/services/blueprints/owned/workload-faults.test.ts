import { expect } from "chai";
import { newPreset, presetKind } from "#services/blueprints/presets/preset-rules.ts";
import { newProfile, profileKind } from "#services/blueprints/profiles/profile-rules.ts";
import { presetCreate } from "#shared/contracts/blueprints/presets.ts";
import { profileCreate } from "#shared/contracts/blueprints/profiles.ts";
import { InvalidParametersError } from "#shared/base/errors.ts";
import { completed } from "../../../../support/completed.ts";
import { unknownId } from "../../../../support/conformance/request.ts";

const kinds: [kind: string, refuse: (workload_config: object) => () => void][] = [
	[
		"a preset",
		(workload_config) => () =>
			presetKind.refuse?.(newPreset(completed(presetCreate, { name: "p", workload_config }), unknownId, "then")),
	],
	[
		"a profile",
		(workload_config) => () =>
			profileKind.refuse?.(newProfile(completed(profileCreate, { name: "p", workload_config }))),
	],
];

describe("the workload_config of", () => {
	for (const [kind, refuse] of kinds) {
		it(`${kind} is refused for a value that a session's own body may not have`, () => {
			const wrong = {
				permission_mode: "aks",
				terminal_restricted: "yes",
				agent: 7,
				initial_prompt: {},
				placement: "No Name",
			};
			for (const [member, value] of Object.entries(wrong))
				expect(refuse({ [member]: value }), member)
					.to.throw(InvalidParametersError)
					.that.satisfies((error: unknown) => JSON.stringify(error).includes(`The ${member} of workload_config`));
		});

		it(`${kind} may have right values, absent ones, and members of others`, () => {
			refuse({
				permission_mode: "ask",
				terminal_restricted: true,
				agent: "builtin",
				initial_prompt: "x",
				placement: "fast",
			})();
			refuse({ permission_mode: null, terminal_restricted: null, agent: "", initial_prompt: "" })();
			refuse({ of_another_client: 1 })();
		});
	}
});
