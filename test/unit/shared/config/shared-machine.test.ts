import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { loadConfig } from "#shared/config/config.ts";
import { peopleShareAMachine, sharedMachineWarning } from "#shared/config/shared-machine.ts";
import { projectRoot } from "#shared/base/project-root.ts";

const key = "PODS__PEOPLE_SHARE_A_MACHINE";

describe("people who share a machine", () => {
	it("are refused unless the operator spells out what that means", () => {
		expect(peopleShareAMachine(loadConfig({}))).to.equal(false);
		expect(sharedMachineWarning(loadConfig({}))).to.equal(undefined);
		for (const value of ["true", "yes", "1"])
			expect(() => loadConfig({ [key]: value }), value).to.throw(/pods\.people_share_a_machine/);
	});

	it("are accepted with a warning that names the key and the danger", () => {
		const config = loadConfig({ [key]: "they-trust-each-others-code" });
		expect(peopleShareAMachine(config)).to.equal(true);
		expect(sharedMachineWarning(config)).to.include("pods.people_share_a_machine").and.to.include("other tenants");
	});

	it("are warned of by `npm run config`, beside the configuration", () => {
		const env = { PATH: process.env["PATH"], [key]: "they-trust-each-others-code" };
		const { stdout, stderr } = spawnSync(process.execPath, ["cli/config.ts"], {
			cwd: projectRoot,
			env,
			encoding: "utf8",
		});
		expect(stdout)
			.to.include("people_share_a_machine: they-trust-each-others-code")
			.and.to.not.include("not kept apart");
		expect(stderr).to.include("Sessions of different people are not kept apart");
	});
});
