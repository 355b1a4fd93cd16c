import { expect } from "chai";
import { launchProof } from "#services/pod-manager/pod-runtimes/kubernetes/objects/launch-proof.ts";

describe("launchProof", () => {
	it("is one of each token, fits an annotation, and has nothing of the token in it", () => {
		const tokens = ["svcs_one_1_secret", "svcs_one_2_secret", "svcs_two_1_secret"];
		const proofs = tokens.map((token) => launchProof(token));
		expect(new Set(proofs).size).to.equal(3);
		for (const proof of proofs) expect(proof).to.match(/^[\w-]{43}$/);
		expect(proofs).to.deep.equal(tokens.map((token) => launchProof(token)));
	});
});
