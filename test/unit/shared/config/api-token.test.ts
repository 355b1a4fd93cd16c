import { expect } from "chai";
import { chmodSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiToken, openApiToken } from "#shared/config/api-token.ts";
import { TokenIdentity } from "#services/gateway/identity-providers/token.ts";
import { StartError } from "#shared/base/start-error.ts";
import { folderForAll, giveAway, printedAsUser } from "../../../support/machine/ordinary-user.ts";
import { useFolder } from "../../../support/use-folder.ts";

const identity = { IDENTITY__ADAPTER: "services/gateway/identity-providers/token.ts#TokenIdentity" };

describe("apiToken()", () => {
	const folder = useFolder();

	it("is the token of this configuration's platform, for this machine only (H1)", async () => {
		const env = { ...identity, DATA_DIR: folder() };
		expect(await apiToken(env), "before the first start").to.equal(undefined);
		const token = openApiToken(folder());
		expect(token)
			.to.match(/^atelier_[\w-]{43}$/)
			.and.to.equal(openApiToken(folder()));
		expect(statSync(join(folder(), "keys", "api")).mode & 0o777).to.equal(0o600);
		expect(await apiToken(env)).to.equal(token);
		for (const url of ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1"])
			expect(await apiToken({ ...env, ATELIER_URL: url }), url).to.equal(token);
		for (const url of ["http://example.org", "http://127.0.0.1.example.org", "http://localhost.example.org:8080"])
			expect(await apiToken({ ...env, ATELIER_URL: url }), url).to.equal(undefined);
		expect(await apiToken({ DATA_DIR: folder() }), "with another identity").to.equal(undefined);
	});

	it("is never empty or incomplete, because everybody would then be the developer", () => {
		const token = openApiToken(folder());
		for (const rest of ["", "\n", token.slice(0, -1), "\0".repeat(token.length), `${token} ${token}`]) {
			writeFileSync(join(folder(), "keys", "api"), rest);
			expect(() => openApiToken(folder()), JSON.stringify(rest)).to.throw(StartError, "no whole secret");
			expect(() => new TokenIdentity({ dataDir: folder() }).browserLogin, "at the start").to.throw(StartError);
		}
	});

	it("is the value of the environment at any address", async () => {
		expect(await apiToken({ ATELIER_TOKEN: "x", ATELIER_URL: "http://example.org" })).to.equal("x");
	});

	it("is no silence when this user may not read it", function () {
		const other = folderForAll("token");
		try {
			openApiToken(other);
			giveAway(other);
			chmodSync(join(other, "keys"), 0);
			const env = `{ IDENTITY__ADAPTER: "${identity.IDENTITY__ADAPTER}", DATA_DIR: process.argv[1] }`;
			const text = `import { apiToken } from "#shared/config/api-token.ts"; console.log(await apiToken(${env}));`;
			const printed = printedAsUser(text, other) ?? this.skip();
			expect(printed).to.include(`may not read and write "${join(other, "keys")}", which belongs to it`);
		} finally {
			rmSync(other, { recursive: true });
		}
	});
});
