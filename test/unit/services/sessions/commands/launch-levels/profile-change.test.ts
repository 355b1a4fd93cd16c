import { expect } from "chai";
import { newProfile } from "#services/blueprints/profiles/profile-rules.ts";
import { launchSettings } from "#services/sessions/commands/launch-settings.ts";
import { type Blueprints, mergedRequest } from "#services/sessions/commands/launch-levels/merged-request.ts";
import { launchWithProfile, storedLevels } from "#services/sessions/commands/launch-levels/profile-change.ts";
import { resolveSource } from "#services/sessions/workspace-sources/session-source.ts";
import { type Profile, profileCreate } from "#shared/contracts/blueprints/profiles.ts";
import { template as templateFields } from "#shared/contracts/templates.ts";
import { completed } from "../../../../../support/completed.ts";
import { sessionCreate } from "../../../../../support/platform/session-record.ts";

function profile(members: object): Profile {
	return newProfile(completed(profileCreate, { name: "p", ...members }));
}

/** Makes a session of a request and blueprints; returns its launch, and what it remembers of the levels. */
function launched(request: object, blueprints: Blueprints) {
	const order = mergedRequest(sessionCreate(request), blueprints);
	const source = resolveSource(order.request, order.level, ["https"]);
	const launch = launchSettings(order.request, source, order.level, { protocols: ["https"] });
	return { launch, levels: JSON.parse(JSON.stringify(storedLevels(order))) as ReturnType<typeof storedLevels> };
}

describe("launchWithProfile()", () => {
	const template = completed(templateFields, {
		name: "t",
		model: "of-template",
		env_vars: { T: "template", P: "template" },
		setup_scripts: ["true"],
	});
	const former = profile({ system_prompt: "former", env_vars: { P: "former", F: "former" } });
	const next = profile({ model: "of-profile", env_vars: { P: "next" }, workload_config: { permission_mode: "ask" } });

	it("puts the profile in the place of the former one", () => {
		const { launch, levels } = launched({}, { template, profile: former });
		expect(launch).to.deep.include({ model: "of-template", system_prompt: "former" });
		const changed = launchWithProfile(launch, levels, next);
		expect(changed).to.deep.include({ model: "of-profile", system_prompt: "", permission_mode: "ask" });
		expect(changed.env).to.deep.equal({ T: "template", P: "next" });
		expect(changed.setup_scripts).to.deep.equal(["true"]);
	});

	it("has the profile's image and place, or keeps those that it had", () => {
		const placed = profile({ workload_config: { image: "alpine/git:2", placement: "fast" } });
		const { launch, levels } = launched({}, { template, profile: placed });
		expect(launch).to.deep.include({ image: "alpine/git:2", placement: "fast" });
		expect(launchWithProfile(launch, levels, next)).not.to.have.any.keys("placement", "image");
		expect(launchWithProfile(launch, undefined, next)).to.deep.include({ image: "alpine/git:2", placement: "fast" });
	});

	it("takes the place of the default profile, too", () => {
		const { launch, levels } = launched({}, { defaultProfile: former });
		expect(launchWithProfile(launch, levels, next)).to.deep.include({ system_prompt: "", env: { P: "next" } });
	});

	it("leaves what the request says", () => {
		const { launch, levels } = launched({ model: "mine", initial_prompt: "hello" }, { profile: former });
		expect(launchWithProfile(launch, levels, next)).to.include({ model: "mine", initial_prompt: "hello" });
	});

	it("leaves a model that an update has chosen since", () => {
		const { launch, levels } = launched({}, { template });
		expect(launchWithProfile({ ...launch, model: "updated" }, levels, next)).to.include({ model: "updated" });
	});

	it("changes what it names in a session that was made from a chronicle", () => {
		const { launch } = launched({ system_prompt: "kept" }, { template });
		expect(launchWithProfile(launch, undefined, next)).to.deep.include({
			model: "of-profile",
			system_prompt: "kept",
			env: { T: "template", P: "next" },
			permission_mode: "ask",
		});
	});

	it("does not repeat the texts of the request", () => {
		const { levels } = launched({ initial_prompt: "a long text" }, {});
		expect(JSON.stringify(levels)).not.to.include("a long text");
	});
});
