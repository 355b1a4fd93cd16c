import { expect } from "chai";
import { mappingOf } from "#services/credentials/injection/secret-mapping.ts";

const free = () => false;

describe("mappingOf()", () => {
	const variables = (name: string, keys: string[]) => mappingOf({ name, secret_type: "api_key", keys }, free).variables;

	it("names variables by the credential, and by each field that is written like a variable", () => {
		expect(variables("npm-token", ["token"])).to.deep.equal({ NPM_TOKEN: "token" });
		expect(variables("multi", ["ANTHROPIC_API_KEY"])).to.deep.equal({
			MULTI: "ANTHROPIC_API_KEY",
			ANTHROPIC_API_KEY: "ANTHROPIC_API_KEY",
		});
		expect(variables("aws", ["AWS_ACCESS_KEY_ID", "region"])).to.deep.equal({
			AWS_AWS_ACCESS_KEY_ID: "AWS_ACCESS_KEY_ID",
			AWS_REGION: "region",
			AWS_ACCESS_KEY_ID: "AWS_ACCESS_KEY_ID",
		});
	});

	it("gives a field that is withheld no variable of its own name", () => {
		const keys = ["access_token", "refresh_token", "client_secret"];
		expect(mappingOf({ name: "login", secret_type: "oauth_token", keys }, free).variables).to.deep.equal({
			LOGIN_ACCESS_TOKEN: "access_token",
		});
	});
});
