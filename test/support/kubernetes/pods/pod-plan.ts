/** Plans of pods for a cluster, for tests of its objects. */
import type { PodPlan } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-manifest.ts";
import { sessionId } from "./pod-objects.ts";

/** Returns the plan of the first launch of the session. */
export function podPlan(given: Partial<PodPlan> = {}): PodPlan {
	return {
		sessionId,
		generation: 1,
		installation: "0123456789abcdef",
		proofs: { Pod: "proof-of-the-pod", ServiceAccount: "proof-of-the-account" },
		workspaceId: sessionId,
		owner: { tenant: "acme", id: "ada@example.org" },
		image: "registry.example/atelier/session:1",
		user: 231_001,
		resources: {
			memoryBytes: 4_294_967_296,
			processors: 2,
			processorShare: 0.25,
			diskBytes: 10_737_418_240,
			gpus: 0,
		},
		placement: {},
		egress: "default",
		variables: {},
		doorUrl: "http://pod-manager.atelier-system:7440",
		accessMode: "ReadWriteOncePod",
		...given,
	};
}
