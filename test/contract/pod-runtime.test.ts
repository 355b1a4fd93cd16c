import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import { openLocalPods } from "../support/local-pods.ts";
import { MemoryPods } from "../support/memory-pods.ts";
import { describePodRuntime, type PodWorld } from "./pod-runtime.contract.ts";

async function openMemory(): Promise<PodWorld> {
	const pods = new MemoryPods();
	return {
		runtime: () => pods,
		async kill(pod) {
			pods.put({ ...pod, state: "gone" });
		},
		hasWorkspace: (sessionId) => pods.workspaces.has(sessionId),
		async close() {},
	};
}

async function openLocal(): Promise<PodWorld> {
	const pods = openLocalPods();
	return {
		runtime: () => pods.runtime(),
		async kill(pod) {
			process.kill(agentOf(pods.dataDir, pod), "SIGKILL");
		},
		hasWorkspace: (sessionId) => existsSync(join(pods.dataDir, "sessions", sessionId, "workspace")),
		close: () => pods.close(),
	};
}

function agentOf(dataDir: string, { sessionId, generation }: Pod): number {
	const file = join(dataDir, "run", `${sessionId}-g${generation}`, "status.json");
	return (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid;
}

describePodRuntime("in memory", openMemory);
describePodRuntime("local processes", openLocal);
