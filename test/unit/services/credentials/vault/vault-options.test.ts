import { expect } from "chai";
import { vaultSettings } from "#services/credentials/vault/vault-options.ts";

describe("vaultSettings()", () => {
	it("logs in with the account of the pod unless there is a token", () => {
		expect(vaultSettings({ url: "https://vault.example.org:8200/" })).to.deep.equal({
			place: { url: "https://vault.example.org:8200", namespace: "" },
			mount: "secret",
			login: {
				mount: "kubernetes",
				role: "atelier-credentials",
				tokenFile: "/var/run/secrets/vault/token",
			},
		});
		const given = vaultSettings({
			url: "http://127.0.0.1:8200",
			mount: "teams/one",
			token: "hvs.x",
			namespace: "acme",
		});
		expect(given).to.deep.include({ mount: "teams/one", login: "hvs.x" });
	});

	for (const [what, options] of Object.entries({
		"no URL": {},
		"a URL without TLS of another machine": { url: "http://vault.example.org:8200" },
		"a URL with a path": { url: "https://vault.example.org/v1" },
		"a URL with a user": { url: "https://ada:pw@vault.example.org" },
		"a mount that leads elsewhere": { url: "https://vault.example.org", mount: "../sys" },
		"an empty mount": { url: "https://vault.example.org", mount: "" },
		"an auth mount with a query": { url: "https://vault.example.org", auth_mount: "k8s?x=1" },
	}))
		it(`refuses ${what}, without repeating it`, () => {
			expect(() => vaultSettings(options))
				.to.throw(RangeError)
				.with.property("message")
				.that.does.not.contain("pw@");
		});
});
