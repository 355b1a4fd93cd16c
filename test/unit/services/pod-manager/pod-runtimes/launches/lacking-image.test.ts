import { expect } from "chai";
import { lackingImage } from "#services/pod-manager/pod-runtimes/launches/lacking-image.ts";

describe("lackingImage()", () => {
	const rows: readonly (readonly [number, string, string | undefined])[] = [
		[78, "", "The image has no git, which sessions need"],
		[79, "", "The git of the image is too old: sessions need 2.39 or later"],
		[128, 'exec: "/bin/sh": stat /bin/sh: no such file or directory', "The image has no sh, which sessions need"],
		[128, 'exec: "/bin/sh": exec format error', undefined],
		[1, "", undefined],
	];
	for (const [exitCode, words, message] of rows)
		it(`says ${message ?? "nothing"} for the code ${exitCode}`, () => {
			expect(lackingImage(exitCode, words)?.message).to.equal(message);
		});
});
