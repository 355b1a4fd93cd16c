/** Plans which test files run in parallel, which share a process, and which run alone. */
import { needsOf } from "./test-needs.ts";

/** The paths of files, with one list per process of mocha, in the order of their start. */
export interface TestPlan {
	together: string[][];
	/** The files that run one after the other when everything else has ended. */
	alone: string[][];
}

/** The order of groups, the longest first, so that the last one to start is not a long one. */
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
		// The first test that uses agents installs them for the others.
		together: [files.filter(usesAgents), ...byGroup.values()].filter(({ length }) => length > 0),
		alone: files.filter(isAlone).map((file) => [file]),
	};
}

function rank(file: string): number {
	return order.findIndex((folder) => file.startsWith(`${folder}/`));
}

/**
 * Returns the group of a file. Unit tests are quick, so those of a folder share a process: `test/unit/agent`,
 * `test/unit/services/gateway`.
 */
function groupOf(file: string): string {
	if (!file.startsWith("test/unit/")) return file;
	return file
		.split("/")
		.slice(0, file.startsWith("test/unit/services/") ? 4 : 3)
		.join("/");
}
