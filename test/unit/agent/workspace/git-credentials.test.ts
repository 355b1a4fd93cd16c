import { expect } from "chai";
import { hasCredentialFor } from "#agent/workspace/git-credentials.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";

const launch = {
	secrets: { variables: {}, files: [], git_credentials: ["https://ada:key@git.example:8443"], warnings: [] },
} as unknown as LaunchDocument;

describe("hasCredentialFor()", () => {
	for (const [url, expected] of [
		["https://git.example:8443/org/shop.git", true],
		["https://ada:newer@git.example:8443", true],
		["https://git.example/org/shop", false],
		["https://other.example:8443/org/shop", false],
		["git@git.example:org/shop.git", false],
		["ssh://git@git.example:8443/org/shop.git", false],
		["nonsense", false],
	] as const)
		it(`is ${expected} for ${url}`, () => expect(hasCredentialFor(launch, url)).to.equal(expected));
});
