/** The contract of an injection of secrets, which every adapter passes. */
import { expect } from "chai";
import type { SecretInjection } from "#services/credentials/injection/secret-injection.ts";
import { personOf } from "#services/credentials/store/credential-owner.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { podSecretsFields } from "#shared/contracts/credentials/pod-secrets.ts";

const owner = personOf({ tenant: "acme", id: "alice" });
const check = compileSchema(podSecretsFields);

/** @param open Opens an injection over a store without credentials. */
export function describeSecretInjection(name: string, open: () => SecretInjection): void {
	describe(`the injection ${name}`, () => {
		it("prepares nothing for a launch without credentials", async () => {
			const secrets = await open().prepare({ session_id: "s", credentials: [] });
			expect(secrets).to.deep.equal({ variables: {}, files: [], git_credentials: [], warnings: [] });
		});

		it("names what it cannot prepare, and prepares the rest", async () => {
			const mapping = { variables: { A: "token" }, files: { "~/.a": "token" }, git: ["url"] };
			const credentials = [{ owner, name: "no-such", mapping }];
			const secrets = await open().prepare({ session_id: "s", credentials });
			expect(check(structuredClone(secrets))).to.deep.equal([]);
			expect(secrets.warnings).to.have.length(1);
			expect(secrets.warnings.join()).to.contain('"no-such"');
			expect(secrets.variables).to.deep.equal({});
		});
	});
}
