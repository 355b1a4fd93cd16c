import { expect } from "chai";
import { launchProof, launchProofs } from "#services/pod-manager/pod-runtimes/kubernetes/objects/launch-proof.ts";

describe("launchProof()", () => {
	it("is one of each token and kind, fits an annotation, and has nothing of the token in it", () => {
		const tokens = ["svcs_one_1_secret", "svcs_one_2_secret", "svcs_two_1_secret"];
		const proofs = tokens.flatMap((token) => Object.values(launchProofs(token)));
		expect(new Set(proofs).size).to.equal(6);
		for (const proof of proofs) expect(proof).to.match(/^[\w-]{43}$/);
		expect(launchProofs("svcs_one_1_secret").Pod).to.equal(launchProof("svcs_one_1_secret", "Pod"));
	});
});
