import { expect } from "chai";
import { machineVariables, withheldVariables } from "#shared/config/machine-variables.ts";

describe("machineVariables()", () => {
	it("takes the machine, its certificates, proxies and registries, and nothing that npm added", () => {
		const taken = {
			PATH: "/usr/bin",
			LANG: "C",
			NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
			SSL_CERT_FILE: "/etc/ca.pem",
			REQUESTS_CA_BUNDLE: "/etc/ca.pem",
			GIT_SSL_CAINFO: "/etc/ca.pem",
			npm_config_cafile: "/etc/ca.pem",
			NPM_CONFIG_REGISTRY: "https://packages.example/npm/",
			PIP_INDEX_URL: "https://packages.example/pypi/simple",
		};
		const left = {
			npm_config_userconfig: "/home/ada/.npmrc",
			npm_config_prefix: "/usr",
			npm_lifecycle_event: "start",
			npm_package_name: "atelier",
			npm_execpath: "/usr/lib/npm.js",
			npm_config_noproxy: "",
			NODE: "/usr/bin/node",
			INIT_CWD: "/srv",
			NODE_OPTIONS: "-r evil",
			NPM_TOKEN: "x",
			NODE_AUTH_TOKEN: "x",
			npm_config__authToken: "x",
			"npm_config_//registry.example/:_authToken": "x",
		};
		expect(machineVariables({ ...taken, ...left })).to.deep.equal(taken);
	});

	it("takes an address with a user or a password only if it is named", () => {
		const env = {
			PATH: "/bin",
			https_proxy: "http://ada:canary@proxy:3128",
			PIP_INDEX_URL: "https://canary@pypi.example",
		};
		expect(machineVariables(env)).to.deep.equal({ PATH: "/bin" });
		expect(withheldVariables(env)).to.deep.equal(["https_proxy", "PIP_INDEX_URL"]);
		expect(machineVariables(env, ["https_proxy", "NPM_TOKEN"])).to.include({ https_proxy: env.https_proxy });
		expect(withheldVariables(env, ["https_proxy"])).to.deep.equal(["PIP_INDEX_URL"]);
	});

	it("reaches this machine without the proxy, and what else the person reaches so", () => {
		const env = machineVariables({ HTTPS_PROXY: "http://proxy:3128", no_proxy: "intranet.example, 127.0.0.1" });
		const all = "intranet.example,127.0.0.1,localhost,::1";
		expect(env).to.deep.equal({ HTTPS_PROXY: "http://proxy:3128", no_proxy: all, NO_PROXY: all });
		expect(machineVariables(env), "once more, in the pod").to.deep.equal(env);
	});
});
