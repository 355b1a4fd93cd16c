import { expect } from "chai";
import { orMissingConnection } from "#services/git/pulls/missing-connection.ts";
import { ConflictError, UpstreamError } from "#shared/base/errors.ts";

const hub = { type: "github", host: "github.com" } as const;

describe("orMissingConnection()", () => {
	const refused = (words: string) => new UpstreamError(`The push was refused: ${words}`, "PUSH_REFUSED");

	it("names the connection that is missing, in whatever words git asks for a credential", () => {
		for (const words of [
			"fatal: could not read Username for 'https://github.com': terminal prompts disabled",
			"remote: Invalid username or token. fatal: Authentication failed for 'https://github.com/acme/shop/'",
			"git@github.com: Permission denied (publickey).",
		]) {
			const error = orMissingConnection(refused(words), hub);
			expect(error).to.include({ code: 400, type: "CONNECTION_MISSING" });
			expect(String(error)).to.include('"github.com"').and.include('slug "github"');
		}
	});

	it("leaves other errors as they are", () => {
		for (const error of [refused("protected branch"), new ConflictError("Authentication failed"), new Error("other")])
			expect(orMissingConnection(error, hub)).to.equal(error);
	});
});
