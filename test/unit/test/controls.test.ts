/**
 * Most controls run at night; that the protections which they take out still stand where they look is seen in every run. The tests
 * of faults and of failover see it of their own.
 */
import { patchedText } from "../../faults/patched-tree.ts";
import { controls } from "../../isolation/controls.ts";
import { accessControls } from "../../support/access/access-controls.ts";

describe("The controls take their protections from where they are:", () => {
	for (const { name, patches } of controls)
		it(name, () => {
			for (const patch of patches) patchedText(patch);
		});
	for (const { protection, patch } of accessControls) it(protection, () => void patchedText(patch));
});
