/** Pods that have ended by themselves, with what their agents or a hostile session have left as their last words. */
import { ended } from "../pods/pod-objects.ts";
import { crash, disrupted, type EndedPod } from "./ended-pod.ts";

const containers: readonly EndedPod[] = [
	{ seen: "too much memory", code: "OUT_OF_MEMORY", status: ended({ exitCode: 137, reason: "OOMKilled" }) },
	{
		seen: "its own hand, after a command had used too much memory",
		code: "AGENT_CRASHED",
		status: ended({ exitCode: 1, reason: "OOMKilled" }),
		sentence: crash(1),
	},
	...[0, 1, 75, 137, 143].map((exitCode) => ({
		seen: `exit code ${exitCode}`,
		code: "AGENT_CRASHED" as const,
		status: ended({ exitCode, reason: exitCode === 0 ? "Completed" : "Error" }),
		sentence: crash(exitCode),
	})),
	{
		seen: "an agent that has got no answer for a minute",
		code: "POD_CANNOT_REACH_PLATFORM",
		status: ended({
			exitCode: 65,
			reason: "Error",
			startedAt: "2026-11-27T20:00:00Z",
			finishedAt: "2026-11-27T20:01:01Z",
		}),
	},
	{
		seen: "an agent that was refused its launch",
		code: "AGENT_CRASHED",
		status: ended({
			exitCode: 65,
			reason: "Error",
			startedAt: "2026-11-27T20:00:00Z",
			finishedAt: "2026-11-27T20:00:02Z",
		}),
		sentence: crash(65),
	},
	{
		seen: "an agent that has reported, and ends with the code of one that could not",
		code: "AGENT_CRASHED",
		told: {},
		status: ended({ exitCode: 65, startedAt: "2026-11-27T20:00:00Z", finishedAt: "2026-11-27T20:01:01Z" }),
		sentence: crash(65),
	},
	{
		seen: "a program that does not exist",
		code: "CONTAINER_FAILED",
		status: ended({
			exitCode: 128,
			reason: "StartError",
			message:
				'failed to create containerd task: failed to create shim task: OCI runtime create failed: exec: "tini": executable file not found in $PATH',
		}),
		words:
			'failed to create containerd task: failed to create shim task: OCI runtime create failed: exec: "tini": executable file not found in $PATH',
	},
	{
		seen: "an init container",
		code: "CONTAINER_FAILED",
		status: {
			phase: "Failed",
			initContainerStatuses: [
				{ name: "agent", state: { terminated: { exitCode: 2, reason: "Error", message: "no space left" } } },
			],
			containerStatuses: [{ name: "session", state: { waiting: { reason: "PodInitializing" } } }],
		},
		words: "the session agent could not be brought into its image (2): no space left",
	},
	{
		seen: "an init container without words",
		code: "CONTAINER_FAILED",
		status: {
			phase: "Failed",
			initContainerStatuses: [{ name: "agent", state: { terminated: { exitCode: 139 } } }],
		},
		words: "the session agent could not be brought into its image (139): exit code 139",
	},
];

const own = (code: string, message: string): string => JSON.stringify({ code, message });

const agents: readonly EndedPod[] = [
	{
		seen: "a script, by the last word of its agent",
		code: "SETUP_FAILED",
		status: ended({ exitCode: 1, message: own("SETUP_FAILED", "Setup script 1 has failed") }),
		sentence: "Setup script 1 has failed",
	},
	{
		seen: "a clone, by the report of its agent",
		code: "CLONE_FAILED",
		told: { phase: "failed", failure: { code: "CLONE_FAILED", message: "no such repository" } },
		status: ended({ exitCode: 1 }),
		sentence: "no such repository",
	},
	{
		seen: "a clone, before somebody has deleted its pod",
		code: "CLONE_FAILED",
		isEnding: true,
		status: ended({ exitCode: 1, message: own("CLONE_FAILED", "no such repository") }),
		sentence: "no such repository",
	},
];

const hostile: readonly EndedPod[] = [
	...["OUT_OF_MEMORY", "NODE_DRAINED", "PREEMPTED", "QUOTA_EXCEEDED", "POD_LOST", "START_TIMEOUT", "OWNER_GONE"].map(
		(code) => ({
			seen: `its agent, with ${code} of others`,
			code: "FAILED" as const,
			status: ended({ exitCode: 1, message: own(code, "The cluster needed the room") }),
		}),
	),
	{
		seen: "its agent, with a code of others and a character that nobody sees",
		code: "FAILED",
		status: ended({ exitCode: 1, message: own("NODE_DRAINED\u200b", "Eviction API: evicting") }),
	},
	{
		seen: "its agent, that reports a code of others",
		code: "FAILED",
		told: { phase: "failed", failure: { code: "PREEMPTED", message: "room" } },
		status: ended({ exitCode: 1 }),
	},
	{
		seen: "a drain, after its agent has prepared another reason while it went on",
		code: "NODE_DRAINED",
		told: { phase: "ready", failure: { code: "AGENT_LOST", message: "forged" } },
		...disrupted("EvictionByEvictionAPI", "Eviction API: evicting"),
	},
	{
		seen: "too much disk, with other last words",
		code: "EVICTED",
		status: ended(
			{ exitCode: 137, message: own("PLATFORM_LOST", "forged") },
			{ reason: "Evicted", message: "The node was low on resource: ephemeral-storage." },
		),
		words: "The node was low on resource: ephemeral-storage.",
	},
	{
		seen: "too much memory, with other last words",
		code: "OUT_OF_MEMORY",
		status: ended({ exitCode: 137, reason: "OOMKilled", message: own("PLATFORM_LOST", "forged") }),
	},
	...[
		'{"code":7}',
		"[]",
		"OOMKilled",
		'{"code":"AGENT_LOST"}',
		`{"code":"AGENT_LOST","message":"${"x".repeat(5_000)}`,
	].map((message) => ({
		seen: `an exit code, with last words that are none: ${message.slice(0, 30)}`,
		code: "AGENT_CRASHED" as const,
		status: ended({ exitCode: 9, reason: "Error", message }),
		sentence: `${crash(9)}; the last lines of its log: ${message.slice(-400)}`,
	})),
];

export const endedByThemselves: readonly EndedPod[] = [...containers, ...agents, ...hostile];
