import { expect } from "chai";
import { kubernetesSettings } from "#services/pod-manager/pod-runtimes/kubernetes/kubernetes-options.ts";

describe("kubernetesSettings()", () => {
	it("takes variables about the network", () => {
		const variables = {
			HTTPS_PROXY: "http://proxy.example:3128",
			NODE_USE_ENV_PROXY: "1",
			GIT_SSL_CAINFO: "/certificates/company.pem",
		};
		expect(kubernetesSettings({ variables }).variables).to.deep.equal(variables);
		expect(kubernetesSettings({}).variables).to.deep.equal({});
	});

	for (const variables of [{ PATH: "/bin" }, { HOME: "/root" }, { NODE_OPTIONS: "--inspect" }, { GREETING: "hello" }])
		it(`refuses ${JSON.stringify(variables)}`, () => {
			expect(() => kubernetesSettings({ variables })).to.throw(
				'Configuration key "pods.runtime.kwargs.variables" has to be names of variables about the network with texts',
			);
		});

	it("names a variable that it refuses, and not its value, which may be a secret", () => {
		const variables = { ANTHROPIC_API_KEY: "s3cret" };
		const refused = () => kubernetesSettings({ variables });
		expect(refused).to.throw("ANTHROPIC_API_KEY").with.property("message").that.does.not.contain("s3cret");
	});

	it("refuses a value that is no text", () => {
		const variables = JSON.parse('{"NODE_USE_ENV_PROXY": 1}') as Record<string, string>;
		expect(() => kubernetesSettings({ variables })).to.throw(
			"has to be names of variables about the network with texts",
		);
	});
});
