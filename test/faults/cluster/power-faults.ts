/** The power goes off and on again: everything dies at once. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "../../support/cluster/start-cluster.ts";
import type { Testbed } from "../testbed.ts";
import type { ClusterFault } from "./stage.ts";

export const powerFaults: readonly ClusterFault[] = [true, false].map((withAgents) => ({
	name: withAgents ? "power cut, session agents die too" : "power cut, session agents live on",
	hits: "everything",
	happen: async ({ cluster, testbed, random, scale }) => {
		await killEverything(cluster, testbed, withAgents);
		await sleep(random.between(0, 2_000) * scale);
		const since = performance.now();
		await startEverything(cluster);
		testbed.starts.note(performance.now() - since);
	},
}));

/** The signals are sent without a pause; the kernel ends the processes in whatever order it likes. */
export async function killEverything(cluster: Cluster, testbed: Testbed, withAgents: boolean): Promise<void> {
	for (const { process } of cluster.members) testbed.overheard.hear(process.output);
	const agents = withAgents ? cluster.platform.sessionProcesses() : [];
	for (const { pid } of agents) endAtOnce(pid);
	await Promise.all([
		...cluster.store.members.map((member) => member.kill()),
		cluster.nats.kill(),
		...cluster.members.map((member) => member.kill()),
	]);
	// An agent may have been started after the first look.
	const late = withAgents ? cluster.platform.sessionProcesses() : [];
	for (const { pid } of late) endAtOnce(pid);
	for (const { session, generation } of [...agents, ...late]) testbed.killedAgents.add(`${session}-g${generation}`);
}

function endAtOnce(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
	}
}

/** Resolves when every process is ready. */
export async function startEverything({ nats, store, members }: Cluster): Promise<void> {
	await Promise.all([nats.start(), ...store.members.map((member) => member.start())]);
	await Promise.all(members.map((member) => member.start()));
}
