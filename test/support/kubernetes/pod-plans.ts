/** Plans of pods in a cluster, for tests of what is made of them. */
import type { PodPlan } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-manifest.ts";
import { sessionId } from "./pod-objects.ts";

/** Returns the plan of the first launch of a session. */
export function podPlan(more: Partial<PodPlan>): PodPlan {
	return {
		sessionId,
		generation: 1,
		installation: "0123456789abcdef",
		workspaceId: sessionId,
		owner: { tenant: "acme", id: "ada" },
		image: "atelier/session:1",
		user: 231_001,
		resources: {
			memoryBytes: 2 ** 32,
			processors: 2,
			processorShare: 0.25,
			diskBytes: 10 * 2 ** 30,
			gpus: 0,
		},
		placement: {},
		egress: "default",
		doorUrl: "http://pod-manager.atelier-system:7440",
		accessMode: "ReadWriteOncePod",
		...more,
	};
}
