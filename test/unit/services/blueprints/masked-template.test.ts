import { expect } from "chai";
import { maskedTemplate } from "#services/blueprints/masked-template.ts";
import { template as templateFields } from "#shared/contracts/templates.ts";
import { completed } from "../../../support/completed.ts";

const secret = "s3cret";

const template = completed(templateFields, {
	name: "t",
	system_prompt: "Be kind",
	setup_scripts: ["npm ci"],
	env_vars: { TOKEN: secret, MODE: secret },
	mcp_servers: [
		{ name: "files", command: "node", env: { KEY: secret } },
		{ name: "web", url: `https://user:${secret}@mcp.example/x`, headers: { Authorization: secret } },
		{ name: "odd", env: [secret], headers: secret, url: 7 },
	],
});

describe("maskedTemplate()", () => {
	const masked = maskedTemplate(template);

	it("shows the names of variables and headers, and no value", () => {
		expect(JSON.stringify(masked)).not.to.include(secret);
		expect(masked.env_vars).to.deep.equal({ TOKEN: "***", MODE: "***" });
		expect(masked.mcp_servers).to.deep.equal([
			{ name: "files", command: "node", env: { KEY: "***" } },
			{ name: "web", url: "https://mcp.example/x", headers: { Authorization: "***" } },
			{ name: "odd", env: {}, headers: {}, url: 7 },
		]);
	});

	it("shows everything else as it is, and changes no template", () => {
		const { env_vars: _env, mcp_servers: _servers, ...others } = template;
		expect(masked).to.deep.include(others);
		expect(template.env_vars["TOKEN"]).to.equal(secret);
	});

	it("masks masked values to the same", () => {
		expect(maskedTemplate(masked)).to.deep.equal(masked);
	});
});
