import { expect } from "chai";
import { githubClient } from "#shared/net/github/github-client.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const hint = /; the base_url of a GitHub Enterprise Server ends with \/api\/v3, and this one does not$/;

/** Returns the sentence of a refused request to an API at an address. */
async function refusedAt(base_url: string): Promise<string> {
	const outbound = { send: async () => ({ status: 401, headers: {}, body: Buffer.from("{}") }) };
	const ask = { provider: "GitHub", asked: "the user" };
	const client = githubClient({ outbound: outbound as never, base_url, token: "t", isConfigured: true, ask });
	return String((await failureOf(client.get("/user"))) as Error);
}

describe("githubClient()", () => {
	it("says of a refusal that the address lacks the path of an Enterprise Server, and of no other address", async () => {
		expect(await refusedAt("https://github.acme.example")).to.match(hint);
		for (const url of ["https://github.acme.example/api/v3", "https://api.github.com", "https://api.acme.ghe.com"])
			expect(await refusedAt(url))
				.to.contain("GitHub")
				.and.not.match(hint);
	});
});
