import { expect } from "chai";
import { personOf } from "#services/credentials/store/credential-owner.ts";
import {
	credentialFields,
	credentialIn,
	entryField,
	ownerIn,
	removalFields,
	removalIn,
} from "#services/credentials/store/vault-entry.ts";

const owner = personOf({ tenant: "acme", id: "https://issuer/ada" });
const times = { created_at: "2026-11-01T00:00:00.000Z", updated_at: "2026-11-02T00:00:00.000Z" };
const entry = {
	id: "id-1",
	name: "api",
	secret_type: "api_key" as const,
	keys: ["token", "user"],
	metadata: { a: "b" },
	...times,
};
const credential = { entry, data: { user: "ada", token: "s3cret" } };

describe("the entry of a credential in a vault", () => {
	it("is read as it was written, beside the fields, and names its owner", () => {
		const fields = credentialFields(owner, credential);
		expect(fields).to.include({ user: "ada", token: "s3cret" });
		expect(fields[entryField]).to.not.contain("s3cret");
		expect(credentialIn("api", fields)).to.deep.equal(credential);
		expect(ownerIn(fields)).to.deep.equal(owner);
	});

	it("is none while the credential is being removed", () => {
		const fields = removalFields(1_000);
		expect([removalIn(fields), credentialIn("api", fields)]).to.deep.equal([1_000, undefined]);
		expect(removalIn(credentialFields(owner, credential))).to.equal(undefined);
	});

	it("is a usual one for a secret of somebody else, with every value as a text", () => {
		const found = credentialIn("db", { port: 5432, user: "ada", [entryField]: "{broken" });
		expect(found?.data).to.deep.equal({ port: "5432", user: "ada" });
		expect(found?.entry).to.deep.include({ name: "db", secret_type: "generic", keys: ["port", "user"] });
		expect(ownerIn({ user: "ada" })).to.equal(undefined);
	});
});
