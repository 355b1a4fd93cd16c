/** Protections, each with what takes it away and the invariant that must break without it. */
import type { Patch } from "./patched-tree.ts";

export interface Control {
	readonly name: string;
	readonly patches: readonly Patch[];
	/** Begins the invariant's name. */
	readonly breaks: string;
}

const localProcess = "services/pod-manager/pod-runtimes/local-process.ts";

export const controls: readonly Control[] = [
	{
		name: "no compare-and-set",
		patches: [
			{
				file: "services/sessions/session-records.ts",
				from: "{ equals: { rev: session.rev, ...guard } }",
				to: "{ equals: { ...guard } }",
			},
		],
		breaks: "I7",
	},
	{
		name: "pods without names that tell them apart",
		patches: [
			{
				file: "services/pod-manager/plan.ts",
				from: "const own = pods.find((pod) => pod.generation === generation);",
				to: 'const own = pods.find((pod) => pod.generation === generation && pod.state === "ready");',
			},
			{
				file: localProcess,
				from: "if (pods.some(({ generation }) => generation === launch.generation)) return;",
				to: "",
			},
			{ file: localProcess, from: "if (other) {", to: "if (other && other.generation !== launch.generation) {" },
			// biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a program
			{ file: "agent/session-lock.ts", from: "-${sessionId}`", to: "-${sessionId}-${process.pid}`" },
		],
		breaks: "I4",
	},
];
