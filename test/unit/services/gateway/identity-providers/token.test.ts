import { expect } from "chai";
import { TokenIdentity } from "#services/gateway/identity-providers/token.ts";
import { ConfigError } from "#shared/config/config.ts";

const token = "t".repeat(32);
const dataDir = "/nonexistent/atelier";

describe("TokenIdentity", () => {
	it("takes the token of its argument, and reads no file then", async () => {
		const identity = new TokenIdentity({ dataDir, token });
		expect(await identity.authenticate({ authorization: `Bearer ${token}` }, {})).to.include({ id: "dev-user" });
		expect(await identity.authenticate({ authorization: `Bearer ${token.slice(1)}` }, {})).to.equal(undefined);
		expect(await identity.authenticate({}, {})).to.equal(undefined);
		expect(identity.browserLogin.token).to.equal(token);
	});

	it("refuses a token that is short, or that a URL would change", () => {
		for (const wrong of ["", "t".repeat(31), `${token} `, `${token};`, `${token}%`, 32]) {
			expect(() => new TokenIdentity({ dataDir, token: wrong }), String(wrong)).to.throw(ConfigError, "32 to 200");
		}
	});
});
