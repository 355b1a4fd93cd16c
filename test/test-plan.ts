/** Which test files run side by side, which in one process, and which alone. */

/** Paths of files, each list for one process of mocha; in the order in which they are begun. */
export interface TestPlan {
	together: string[][];
	/** One after the other, when everything else has ended. */
	alone: string[][];
}

/** They measure time or memory closely, or are a load that others would be measured under. */
const measuring = [
	"test/e2e/sessions/many-sessions.test.ts",
	"test/failover/failover.test.ts",
	"test/faults/faults.test.ts",
	"test/integration/agent/model-proxy/overhead.test.ts",
	"test/integration/stream/stream-crowd.test.ts",
	"test/isolation/isolation.test.ts",
];

/** What uses the real coding agents, which the first of them installs for the other. */
export const agentTests: readonly string[] = ["test/contract/real-agents.test.ts", "test/e2e/sessions/agents.test.ts"];

/** Longest first: what is begun last should not be what everybody waits for. */
const order = [
	"test/failover",
	"test/faults",
	"test/e2e",
	"test/contract",
	"test/unit",
	"test/integration",
	"test/isolation",
	"test/lint",
];

export function planned(files: readonly string[]): TestPlan {
	const others = files.filter((file) => !measuring.includes(file) && !agentTests.includes(file));
	const byGroup = Map.groupBy(
		others.toSorted((a, b) => rank(a) - rank(b)),
		groupOf,
	);
	return {
		together: [files.filter((file) => agentTests.includes(file)), ...byGroup.values()].filter(
			({ length }) => length > 0,
		),
		alone: files.filter((file) => measuring.includes(file)).map((file) => [file]),
	};
}

function rank(file: string): number {
	return order.findIndex((folder) => file.startsWith(`${folder}/`));
}

/** Unit tests are quick, so that those of a folder share a process; `test/unit/agent/x.test.ts` is in `test/unit/agent`. */
function groupOf(file: string): string {
	return file.startsWith("test/unit/") ? file.split("/").slice(0, 3).join("/") : file;
}
