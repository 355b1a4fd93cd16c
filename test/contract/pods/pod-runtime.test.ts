/** Long: it starts and ends some fifty pods. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import { eventually } from "../../support/eventually.ts";
import { openLocalPods } from "../../support/pods/local-pods.ts";
import { MemoryPods } from "../../support/pods/memory-pods.ts";
import { waitingAgents } from "../../support/platform/session-processes.ts";
import { describePodRuntime, type PodWorld } from "./pod-runtime.contract.ts";

async function openMemory(): Promise<PodWorld> {
	const pods = new MemoryPods();
	return {
		runtime: () => pods,
		async kill(pod) {
			pods.put({ ...pod, state: "gone" });
		},
		async atRest() {},
		hasWorkspace: (sessionId) => pods.workspaces.has(sessionId),
		async close() {},
	};
}

/**
 * @param waiting The number of session agents that each opened runtime keeps loaded; only the first one is opened.
 */
async function openLocal(waiting: number): Promise<PodWorld> {
	const pods = openLocalPods(waiting);
	const opened = pods.runtime();
	await opened.open();
	const others = [opened];
	return {
		runtime: () => others.pop() ?? pods.runtime(),
		async atRest() {
			const wait = () => waitingAgents(pods.installation).length === waiting;
			await eventually(wait, { withinMs: 15_000, what: "session agents wait" });
		},
		async kill(pod) {
			process.kill(agentOf(pods.dataDir, pod), "SIGKILL");
		},
		hasWorkspace: (sessionId) => existsSync(join(pods.dataDir, "sessions", sessionId, "workspace")),
		async close() {
			await opened.close();
			await pods.close();
		},
	};
}

function agentOf(dataDir: string, { sessionId, generation }: Pod): number {
	const file = join(dataDir, "run", `${sessionId}-g${generation}`, "status.json");
	return (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid;
}

describePodRuntime("in memory", openMemory);
describePodRuntime("local processes", () => openLocal(0));
describePodRuntime("local processes, one of which waits", () => openLocal(1));
