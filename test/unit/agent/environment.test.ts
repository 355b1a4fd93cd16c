import { expect } from "chai";
import { isSettable, machineEnvironment } from "#agent/environment.ts";

describe("isSettable()", () => {
	for (const name of ["STAGE", "_X", "API_KEY", "GIT_AUTHOR_NAME", "NPM_CONFIG_REGISTRY"]) {
		it(`accepts ${name}`, () => expect(isSettable(name, "value")).to.equal(true));
	}

	const refused = ["PATH", "HOME", "LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "ENV", "IFS", "PS4", "GIT_SSH_COMMAND"];
	const more = ["GIT_EXTERNAL_DIFF", "GIT_CONFIG_COUNT", "PYTHONPATH", "PERL5OPT", "HTTPS_PROXY", "SSL_CERT_FILE"];
	for (const name of [
		...refused,
		...more,
		"KUBERNETES_SERVICE_HOST",
		"ATELIER_SESSION",
		"https_proxy",
		"a",
		"A B",
		"A=B",
		"__proto__",
		"",
	]) {
		it(`refuses "${name}"`, () => expect(isSettable(name, "value")).to.equal(false));
	}

	it("refuses a value with a NUL", () => expect(isSettable("STAGE", "a\0b")).to.equal(false));
});

describe("machineEnvironment()", () => {
	it("takes only what is on the list", () => {
		const env = {
			PATH: "/bin",
			LANG: "C",
			LC_ALL: "C",
			TZ: "UTC",
			AWS_SECRET_ACCESS_KEY: "x",
			PATHX: "x",
			ATELIER_ROLE: "agent",
		};
		expect(machineEnvironment(env)).to.deep.equal({ PATH: "/bin", LANG: "C", LC_ALL: "C", TZ: "UTC" });
	});
});
