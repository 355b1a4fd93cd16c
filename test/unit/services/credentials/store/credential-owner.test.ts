import { expect } from "chai";
import { ownerFolder, personOf, tenantOf } from "#services/credentials/store/credential-owner.ts";

const odd = [
	"",
	".",
	"..",
	"/",
	"a/b",
	"../a",
	"a\\b",
	"a\0b",
	"a b",
	"a.b",
	"~",
	"~a",
	"é",
	"e\u0301",
	"\u{1F511}",
	"%2e%2e",
	"con",
	"-",
	"_",
	"A",
	"a",
	"auth0|12",
	"google-oauth2|7",
	"user@example.com",
	"https://issuer.example/x#y",
	"a".repeat(100),
	"a".repeat(101),
	"a".repeat(5_000),
	"default",
	"acme.alice",
];

describe("ownerFolder()", () => {
	it("is the id for people of the default tenant and for tenants", () => {
		expect(ownerFolder(personOf({ tenant: "default", id: "dev-user" }))).to.equal("dev-user");
		expect(ownerFolder(personOf({ tenant: "acme", id: "alice" }))).to.equal("acme.alice");
		expect(ownerFolder(tenantOf("acme"))).to.equal("acme");
	});

	it("is one harmless name for each of many hostile owners", () => {
		const people = odd.flatMap((id) =>
			["default", "acme", "a", "..", "a.b", "x/y", "~", ""].map((tenant) => ({ tenant, id })),
		);
		const owners = people.map(personOf);
		expect(owners).to.have.length.of.at.least(240);
		const folders = owners.map(ownerFolder);
		for (const folder of folders) expect(folder).to.match(/^(~[0-9a-f]{64}|[\w-]{1,100}(\.[\w-]{1,100})?)$/);
		expect(new Set(folders).size).to.equal(owners.length);
		const tenants = odd.map((id) => ownerFolder(tenantOf(id)));
		expect(new Set(tenants).size).to.equal(odd.length);
	});
});
