/** Processes of the platform are killed, frozen, ended in order and started with another clock; pods are killed and frozen. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ClusterMember } from "../../support/cluster/cluster-member.ts";
import type { MemberKind } from "../../support/cluster/start-cluster.ts";
import type { ClusterFault, Stage } from "./stage.ts";

const kinds: readonly MemberKind[] = ["gateway", "core", "pod-manager"];

export const processFaults: readonly ClusterFault[] = [
	...kinds.flatMap((kind): ClusterFault[] => [
		{
			name: `kill -9 of a ${kind}`,
			hits: "process",
			happen: (stage) => killed(stage, [stage.random.pick(stage.cluster.membersOf(kind))]),
		},
		{
			name: `kill -9 of every ${kind}`,
			hits: "process",
			happen: (stage) => killed(stage, stage.cluster.membersOf(kind)),
		},
		{
			name: `${kind} frozen 1–8 s`,
			hits: "process",
			happen: (stage) => frozen(stage, kind, stage.random.between(1_000, 8_000)),
		},
		{
			name: `${kind} frozen past its lease, 16–30 s`,
			hits: "process",
			happen: (stage) => frozen(stage, kind, stage.random.between(16_000, 30_000)),
		},
		{ name: `${kind} ended with SIGTERM`, hits: "process", happen: (stage) => ended(stage, kind) },
	]),
	{ name: "kill -9 of a session agent", hits: "pod", happen: agentKilled },
	{ name: "session agent frozen", hits: "pod", happen: agentFrozen },
];

async function killed(stage: Stage, members: readonly ClusterMember[]): Promise<void> {
	for (const { name } of members) stage.gateways.lose(name);
	await Promise.all(members.map((member) => member.kill()));
	await sleep(stage.random.between(0, 2_000) * stage.scale);
	await Promise.all(members.map((member) => startAgain(stage, member)));
}

/** Starts a process again, and notes how long that takes. */
async function startAgain({ testbed, gateways }: Stage, member: ClusterMember): Promise<void> {
	// The output of the earlier process is included.
	testbed.overheard.hear(member.process.output);
	const since = performance.now();
	await member.start();
	testbed.starts.note(performance.now() - since);
	gateways.regain(member.name);
}

async function frozen({ cluster, gateways, random, scale }: Stage, kind: MemberKind, ms: number): Promise<void> {
	const member = random.pick(cluster.membersOf(kind));
	gateways.lose(member.name);
	await member.freeze();
	await sleep(ms * scale);
	member.thaw();
	gateways.regain(member.name);
}

/** The rest of the platform serves all requests meanwhile; the end itself has to be one in order. */
async function ended(stage: Stage, kind: MemberKind): Promise<void> {
	const member = stage.random.pick(stage.cluster.membersOf(kind));
	member.process.signal("SIGTERM");
	// A gateway answers until it ends, and says that it is not ready.
	const code = await member.process.ended(60_000);
	stage.gateways.lose(member.name);
	if (code !== 0) stage.wrong.push(`${member.name} ended with ${code} after SIGTERM`);
	await startAgain(stage, member);
}

async function agentKilled(stage: Stage): Promise<void> {
	const agent = someAgent(stage);
	if (!agent) return;
	stage.testbed.killedAgents.add(`${agent.session}-g${agent.generation}`);
	signal(agent.pid, "SIGKILL");
}

async function agentFrozen(stage: Stage): Promise<void> {
	const agent = someAgent(stage);
	const ms = stage.random.between(100, 5_000);
	if (!agent) return;
	signal(agent.pid, "SIGSTOP");
	await sleep(ms * stage.scale);
	signal(agent.pid, "SIGCONT");
}

function someAgent({ cluster, random }: Stage) {
	// The number is drawn in any case, so that the seed's later faults do not depend on it.
	const place = random.next();
	const agents = cluster.platform.sessionProcesses().filter(({ isAgent }) => isAgent);
	return agents[Math.floor(place * agents.length)];
}

/** A signal has no effect on a process that has ended. */
function signal(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name);
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
	}
}
