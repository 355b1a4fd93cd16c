/** Which test files run side by side, which in one process, and which alone. */
import { needsOf } from "./test-needs.ts";

/** Paths of files, each list for one process of mocha; in the order in which they are begun. */
export interface TestPlan {
	together: string[][];
	/** One after the other, when everything else has ended. */
	alone: string[][];
}

/** Longest first: what is begun last should not be what everybody waits for. */
const order = [
	"test/failover",
	"test/faults",
	"test/unit/services",
	"test/e2e",
	"test/contract",
	"test/unit",
	"test/integration",
	"test/isolation",
	"test/lint",
];

export function usesAgents(file: string): boolean {
	return needsOf(file).programs.includes("agents");
}

export function planned(files: readonly string[]): TestPlan {
	const isAlone = (file: string) => needsOf(file).alone !== undefined;
	const others = files.filter((file) => !isAlone(file) && !usesAgents(file));
	const byGroup = Map.groupBy(
		others.toSorted((a, b) => rank(a) - rank(b)),
		groupOf,
	);
	return {
		// The first of those that use agents installs them for the others.
		together: [files.filter(usesAgents), ...byGroup.values()].filter(({ length }) => length > 0),
		alone: files.filter(isAlone).map((file) => [file]),
	};
}

function rank(file: string): number {
	return order.findIndex((folder) => file.startsWith(`${folder}/`));
}

/** Unit tests are quick, so that those of a folder share a process: `test/unit/agent`, `test/unit/services/gateway`. */
function groupOf(file: string): string {
	if (!file.startsWith("test/unit/")) return file;
	return file
		.split("/")
		.slice(0, file.startsWith("test/unit/services/") ? 4 : 3)
		.join("/");
}
