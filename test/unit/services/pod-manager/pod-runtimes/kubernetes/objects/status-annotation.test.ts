import { expect } from "chai";
import type { PodObject } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-object.ts";
import {
	reportNumberOf,
	reportSteps,
	withReport,
} from "#services/pod-manager/pod-runtimes/kubernetes/objects/status-annotation.ts";
import { podShown } from "../../../../../../support/kubernetes/pods/pod-objects.ts";

function annotated(annotations?: Record<string, string>): PodObject {
	const { metadata, ...pod } = podShown();
	const { annotations: _former, ...rest } = metadata;
	return { ...pod, metadata: { ...rest, ...(annotations && { annotations }) } };
}

describe("the report of a pod", () => {
	it("has the number that its agent has given it, or none", () => {
		expect(reportNumberOf(withReport(annotated({ other: "1" }), '{"number":7}'))).to.equal(7);
		for (const report of ["", "{", "[]", "{}", '{"number":"7"}'])
			expect(reportNumberOf(withReport(annotated(), report)), report).to.equal(undefined);
		expect(reportNumberOf(annotated())).to.equal(undefined);
	});

	it("is replaced where it is the one that was read", () => {
		const path = "/metadata/annotations/atelier.dev~1status";
		const uid = { op: "test", path: "/metadata/uid", value: "uid-1" };
		const add = { op: "add", path, value: "new" };
		const pod = annotated({ other: "1" });
		expect(reportSteps(pod, "new")).to.deep.equal([uid, { op: "test", path, value: null }, add]);
		expect(reportSteps(withReport(pod, "old"), "new")).to.deep.equal([uid, { op: "test", path, value: "old" }, add]);
		expect(reportSteps(annotated(), "new")).to.deep.equal([
			uid,
			{ op: "test", path: "/metadata/annotations", value: null },
			{ op: "add", path: "/metadata/annotations", value: { "atelier.dev/status": "new" } },
		]);
	});
});
