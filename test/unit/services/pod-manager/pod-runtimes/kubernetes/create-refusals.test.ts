import { expect } from "chai";
import { PodRefused } from "#services/pod-manager/pod-refused.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";
import { refuse } from "#services/pod-manager/pod-runtimes/kubernetes/create-refusals.ts";

describe("refuse() for a cluster", () => {
	function thrownFor(error: unknown, signal?: AbortSignal): unknown {
		try {
			return refuse(error, signal);
		} catch (thrown) {
			return thrown;
		}
	}

	const rows: readonly (readonly [number | undefined, string, string, boolean])[] = [
		[403, 'pods "x" is forbidden: exceeded quota: sessions', "QUOTA_EXCEEDED", false],
		[403, 'pods "x" is forbidden: violates PodSecurity "restricted:latest"', "POD_FORBIDDEN", true],
		[403, 'pods is forbidden: User "x" cannot create resource "pods"', "POD_FORBIDDEN", false],
		[403, "unable to create new content in namespace x because it is being terminated", "NAMESPACE_ENDING", false],
		[404, 'namespaces "x" not found', "NAMESPACE_ENDING", false],
		[422, 'Pod "x" is invalid: spec.containers[0].image', "POD_INVALID", true],
		[undefined, "connect ECONNREFUSED", "CLUSTER_UNREACHABLE", false],
		[503, "the server is currently unable", "CLUSTER_UNREACHABLE", false],
	];
	for (const [status, message, code, final] of rows)
		it(`says ${code} for ${status ?? "no answer"}: ${message}`, () => {
			const refusal = thrownFor(new ApiError({ status, reason: "Forbidden", message }));
			expect(refusal).to.be.an.instanceOf(PodRefused).and.include({ code, final });
			expect(String(refusal)).to.include(message);
		});

	it("throws a conflict and other errors as they are, and the reason of the signal before all", () => {
		for (const error of [new ApiError({ status: 409, reason: "Conflict", message: "changed" }), new Error("own")])
			expect(thrownFor(error)).to.equal(error);
		const reason = new Error("The pass is over");
		expect(thrownFor(new Error("own"), AbortSignal.abort(reason))).to.equal(reason);
	});
});
