/**
 * Controls run for minutes, most of them at night; that the protections which they take out still stand where they look is seen
 * in every run. The test of failover sees it of its own.
 */
import { controls as faultControls } from "../../faults/controls.ts";
import { patchedText } from "../../faults/patched-tree.ts";
import { controls } from "../../isolation/controls.ts";
import { accessControls } from "../../support/access/access-controls.ts";

describe("The controls take their protections from where they are:", () => {
	for (const { name, patches } of [...controls, ...faultControls])
		it(name, () => {
			for (const patch of patches) patchedText(patch);
		});
	for (const { protection, patch } of accessControls) it(protection, () => void patchedText(patch));
});
