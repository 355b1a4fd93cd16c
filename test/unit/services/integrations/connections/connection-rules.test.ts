import { expect } from "chai";
import { missingFields, refuseOther, refuseSettings } from "#services/integrations/connections/connection-rules.ts";
import { definitionIn } from "#services/integrations/catalogue/definition-file.ts";
import type { IntegrationDefinition } from "#shared/contracts/integrations/definition-fields.ts";
import { InvalidParametersError, UnprocessableError } from "#shared/base/errors.ts";

function definitionOf(text: string): IntegrationDefinition {
	const read = definitionIn("x.yaml", text);
	if ("fault" in read) throw new Error(read.fault);
	return read.definition;
}

const forge = definitionOf(`
slug: forge
name: Forge
integration_type: source_control
adapter: gitea
credential_schema: { required: [token, key], properties: { token: {}, key: {} } }
config_schema: { required: [base_url], properties: { base_url: { type: url }, orgs: { type: list } } }
`);
const order = {
	integration_type: "source_control",
	adapter: "",
	credential_name: "x",
	config: {},
	enabled: true,
	slug: "forge",
};

describe("the rules of connections", () => {
	it("let a request name the type and the adapter of the definition, and no others", () => {
		for (const adapter of ["", "gitea"]) expect(() => refuseOther(forge, { ...order, adapter })).not.to.throw();
		for (const other of [
			{ adapter: "github" },
			{ adapter: "services/evil.ts#Evil" },
			{ integration_type: "messaging" },
		])
			expect(() => refuseOther(forge, { ...order, ...other })).to.throw(InvalidParametersError);
	});

	it("check URLs by the guard of requests that leave the platform, and no other settings", () => {
		const checked: string[] = [];
		const config = { base_url: "https://forge.example", orgs: "acme" };
		refuseSettings(forge, config, (url) => void checked.push(url));
		expect(checked).to.deep.equal(["https://forge.example"]);
		const refuse = () => {
			throw new UnprocessableError("The host has no public address");
		};
		try {
			refuseSettings(forge, config, refuse);
			expect.fail("a refused URL was accepted");
		} catch (error) {
			expect(error).to.be.instanceOf(InvalidParametersError);
			expect((error as InvalidParametersError).failures).to.deep.equal([
				{ type: "integration", path: ["config"], message: 'The setting "base_url": The host has no public address' },
			]);
		}
	});

	it("want the settings that the definition requires, and have no others", () => {
		for (const config of [{}, { base_url: "" }, { base_url: "https://x.example", color: "red" }])
			expect(() => refuseSettings(forge, config, () => {}), JSON.stringify(config)).to.throw(InvalidParametersError);
		const odd = { base_url: "https://x.example", orgs: "a\nb" };
		expect(() => refuseSettings(forge, odd, () => {})).to.throw(InvalidParametersError);
		for (const key of ["__proto__", "constructor"])
			expect(
				() =>
					refuseSettings(
						forge,
						Object.fromEntries([
							["base_url", "https://x.example"],
							[key, "x"],
						]),
						() => {},
					),
				key,
			).to.throw(InvalidParametersError);
	});

	it("name the fields that a credential lacks, also when they are empty", () => {
		expect(missingFields(forge, { token: "x", key: "y" })).to.deep.equal([]);
		expect(missingFields(forge, { token: "", other: "z" })).to.deep.equal(["token", "key"]);
	});
});
