/**
 * The proof of access notices when a protection is missing: each control takes one out of the sources of a platform.
 * Night: it starts a platform for each protection.
 */
import { patchedTree } from "../../faults/patched-tree.ts";
import { accessControls } from "../../support/access/access-controls.ts";
import { provePlatform, startProvenPlatform } from "../../support/access/proven-platform.ts";

describe("the proof of access notices that", function () {
	this.timeout(60_000);

	for (const { protection, patch, routes, hole } of accessControls) {
		it(`${protection} is missing`, async () => {
			using tree = patchedTree([patch]);
			await using platform = await startProvenPlatform(tree.root);
			const { holes } = await provePlatform(platform, routes);
			if (!holes.some((one) => hole.test(one)))
				throw new Error(`It has found ${holes.length} holes:\n${holes.join("\n")}`);
		});
	}
});
