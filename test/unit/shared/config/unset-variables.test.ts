import { expect } from "chai";
import { unsetVariables } from "#shared/config/unset-variables.ts";

describe("unsetVariables()", () => {
	const section = {
		github: { token_env: "SET", webhook_secret_env: "", token: "secret" },
		gitlab: { instances: [{ name: "work", token_env: "UNSET" }] },
		store: { secret_kwargs_env: { password: "UNSET_TOO" } },
	};
	const env = (name: string): string => (name === "SET" ? "x" : "");

	it("names each variable that a key names and that is not set, and what to do", () => {
		const remedy = "which is not set: set it where the platform is started, or remove the key";
		expect(unsetVariables(section, "git", env)).to.deep.equal([
			`Configuration key "git.gitlab.instances.0.token_env" names the environment variable "UNSET", ${remedy}`,
			`Configuration key "git.store.secret_kwargs_env.password" names the environment variable "UNSET_TOO", ${remedy}`,
		]);
	});

	it("is empty when all are set", () => {
		expect(unsetVariables(section, "git", () => "x")).to.deep.equal([]);
		expect(unsetVariables(undefined, "git", env)).to.deep.equal([]);
	});
});
