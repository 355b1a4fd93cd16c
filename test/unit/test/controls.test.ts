/** Most controls run at night; that the protections which they take out still stand where they look is seen in every run. */
import { controls as faultControls } from "../../faults/controls.ts";
import { patchedText } from "../../faults/patched-tree.ts";
import { controlPatches } from "../../failover/control.ts";
import { controls as isolationControls } from "../../isolation/controls.ts";
import { accessControls } from "../../support/access/access-controls.ts";

describe("The controls take their protections from where they are:", () => {
	for (const { name, patches } of [...faultControls, ...isolationControls])
		it(name, () => {
			for (const patch of patches) patchedText(patch);
		});
	it("the failover run", () => {
		for (const patch of controlPatches) patchedText(patch);
	});
	for (const { protection, patch } of accessControls) it(protection, () => void patchedText(patch));
});
