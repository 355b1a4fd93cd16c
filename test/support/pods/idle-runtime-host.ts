/** A runtime gets this where no platform is there: its sessions have no model, and no launch is to be had. */
import { randomBytes } from "node:crypto";
import { BlockList } from "node:net";
import type { RuntimeHost } from "#services/pod-manager/pod-runtime.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";

type IdleHost = RuntimeHost & Required<Pick<RuntimeHost, "host">>;

/** Returns the token of a launch. */
export function idlePodToken(sessionId: string, generation: number): string {
	return `svcs_${sessionId}_${generation}_proof`;
}

/** Returns one whose names no other test has, but those that are given. */
export function idleRuntimeHost(dataDir: string, given: Partial<IdleHost> = {}): IdleHost {
	return {
		dataDir,
		installation: randomBytes(8).toString("hex"),
		markKey: randomBytes(16).toString("hex"),
		host: randomBytes(8).toString("hex"),
		platformUrl: () => "http://127.0.0.1:9/api/v1/svc",
		launches: { specOf: async () => undefined, existingOf: async () => [] },
		models: { accessOf: () => undefined, modelOf: async () => "", podToken: idlePodToken },
		refusedNetworks: new BlockList(),
		metrics: new Metrics(),
		...given,
	};
}
