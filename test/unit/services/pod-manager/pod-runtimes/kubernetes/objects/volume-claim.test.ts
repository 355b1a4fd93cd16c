import { expect } from "chai";
import { annotation, label } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { volumeClaim } from "#services/pod-manager/pod-runtimes/kubernetes/objects/volume-claim.ts";
import { sessionId } from "../../../../../../support/kubernetes/pods/pod-objects.ts";

const gibibyte = 2 ** 30;

/** Returns the size that is read of a claim for 10 GiB, whose volume has 12. */
function sizeOf(counted?: string, capacity: string | undefined = "12Gi") {
	const annotations = counted === undefined ? {} : { [annotation.measured]: counted };
	const claim = volumeClaim({
		metadata: {
			name: `workspace-${sessionId}`,
			uid: "u",
			resourceVersion: "1",
			labels: { [label.workspace]: sessionId },
			annotations,
		},
		spec: { resources: { requests: { storage: "10Gi" } } },
		status: { capacity: { storage: capacity } },
	});
	return claim?.size;
}

describe("the size of what is in a volume", () => {
	it("is what its session has counted", () => {
		expect(sizeOf('{"bytes":4096}')).to.deep.equal({ bytes: 4_096 });
		expect(sizeOf('{"bytes":4096,"partial":"entries"}')).to.deep.equal({ bytes: 4_096, partial: "entries" });
	});

	it("is what was asked for until something was counted, however large the volume is", () => {
		expect(sizeOf()).to.deep.equal({ bytes: 10 * gibibyte });
	});

	it("is never more than the volume can have, and never what is no size", () => {
		expect(sizeOf(`{"bytes":${1e15}}`)).to.deep.equal({ bytes: 12 * gibibyte });
		for (const written of [
			'{"bytes":-1}',
			'{"bytes":"1"}',
			'{"bytes":1e300}',
			'{"bytes":1,"partial":"x"}',
			"{",
			"7",
			"null",
		])
			expect(sizeOf(written), written).to.deep.equal({ bytes: 10 * gibibyte });
	});

	it("is nothing for a claim of somebody else", () => {
		expect(volumeClaim({ metadata: { name: "x", uid: "u", resourceVersion: "1" } })).to.equal(undefined);
	});
});
