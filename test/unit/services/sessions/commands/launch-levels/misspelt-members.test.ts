import { expect } from "chai";
import { newProfile } from "#services/blueprints/profiles/profile-rules.ts";
import { sessionWarnings } from "#services/sessions/commands/session-warnings.ts";
import { template as templateFields } from "#shared/contracts/templates.ts";
import { profileCreate } from "#shared/contracts/blueprints/profiles.ts";
import { completed } from "../../../../../support/completed.ts";
import { launchSettings } from "../../../../../support/pods/memory-pods.ts";
import { sessionCreate } from "../../../../../support/platform/session-record.ts";

const template = (members: object) => completed(templateFields, { name: "t", ...members });

describe("the warnings of a session", () => {
	it("name misspelt members of the free-form fields of its blueprints", () => {
		const blueprint = template({
			workload_config: { permision_mode: "ask", image: "node", of_another_client: 1 },
			mcp_servers: [
				{ name: "x", command: "y" },
				{ name: "web", ulr: "canary" },
			],
		});
		expect(sessionWarnings(sessionCreate(), launchSettings, undefined, { template: blueprint })).to.deep.equal([
			'Template "t": unknown member "workload_config.permision_mode"; did you mean "permission_mode"?',
			'Template "t": unknown member "mcp_servers.1.ulr"; did you mean "url"?',
		]);
	});

	it("do so for a profile too, and only for the one in use", () => {
		const named = (name: string) => newProfile(completed(profileCreate, { name, workload_config: { agnet: "codex" } }));
		const told = (blueprints: object) => sessionWarnings(sessionCreate(), launchSettings, undefined, blueprints);
		expect(told({ profile: named("p"), defaultProfile: named("d") })).to.deep.equal([
			'Profile "p": unknown member "workload_config.agnet"; did you mean "agent"?',
		]);
		expect(told({ defaultProfile: named("d") })[0]).to.include('Profile "d"');
	});
});
