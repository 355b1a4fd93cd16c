import { expect } from "chai";
import {
	placeInResource,
	resourceMembers,
	templateFields,
	templateMembers,
	workloadMembers,
} from "#services/blueprints/template-sources/kubernetes/template-members.ts";
import { resourceNames, workloadNames } from "#shared/contracts/free-form-names.ts";
import { template } from "#shared/contracts/templates.ts";

function camelCase(name: string): string {
	return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

describe("templateMembers", () => {
	it("has every key of the contract but the name, in camel case", () => {
		const keys = Object.keys(template).filter((key) => key !== "name");
		expect(templateMembers).to.deep.equal(Object.fromEntries(keys.map((key) => [camelCase(key), key])));
		expect(workloadMembers).to.deep.equal(Object.fromEntries(workloadNames.map((key) => [camelCase(key), key])));
		expect(Object.values(resourceMembers)).to.include.members([...resourceNames]);
		for (const [name, key] of Object.entries(resourceMembers)) expect(name).to.equal(camelCase(key));
	});

	it("leaves the keys of members that are the author's words", () => {
		const fields = templateFields({
			envVars: { setupScripts: "a" },
			resourceConfig: { gpuType: "A100", other: 1 },
			workloadConfig: { permissionMode: "ask" },
			notKnown: 1,
		});
		expect(fields).to.deep.equal({
			env_vars: { setupScripts: "a" },
			resource_config: { gpu_type: "A100", other: 1 },
			workload_config: { permission_mode: "ask" },
			notKnown: 1,
		});
	});
});

describe("placeInResource()", () => {
	it("names a member as its author has written it", () => {
		expect(placeInResource(["workload_config", "egress_hosts"])).to.equal("spec.workloadConfig.egressHosts");
		expect(placeInResource(["env_vars", "setup_scripts"])).to.equal("spec.envVars.setup_scripts");
		expect(placeInResource(["repos", 0, "url"])).to.equal("spec.repos.0.url");
		expect(placeInResource([])).to.equal("spec");
	});
});
