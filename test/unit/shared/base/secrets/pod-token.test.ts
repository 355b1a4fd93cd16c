import { expect } from "chai";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import { launchOfToken } from "#shared/base/secrets/pod-token.ts";

describe("launchOfToken()", () => {
	const key = new InstallationKey(Buffer.alloc(32, 1));
	const id = "3f0c1111-2222-4333-8444-555566667777";
	const read = (token: string) => launchOfToken(token, (session, generation) => key.podToken(session, generation));

	it("returns the launch that a token was made for", () => {
		for (const generation of [1, 12, 999_999_999])
			expect(read(key.podToken(id, generation))).to.deep.equal({ sessionId: id, generation });
	});

	it("returns nothing for a token of another installation, session or launch, and for what is none", () => {
		const right = key.podToken(id, 1);
		const others = [
			new InstallationKey(Buffer.alloc(32, 2)).podToken(id, 1),
			right.replace("_1_", "_2_"),
			// Another way to write the same number is another token.
			right.replace("_1_", "_01_"),
			right.replace("3f0c", "4f0c"),
			right.toUpperCase(),
			right.slice(0, -1),
			`${right}A`,
			`${right}\n`,
			`svcs_${id}_1_${"ä".repeat(43)}`,
			`svcs_${id}_1_${"A".repeat(43)}`,
			"svcs_",
			"",
		];
		for (const token of others) expect(read(token), token).to.equal(undefined);
	});
});
