/** Plans which test files run in parallel, which share a process, and which run alone. */
import { isQuick, needsOf } from "./test-needs.ts";

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
	const groups = [...Map.groupBy(others, groupOf)].flatMap(parted);
	return {
		// The first test that uses agents installs them for the others.
		together: [files.filter((file) => usesAgents(file) && !isAlone(file)), ...groups.toSorted(byDuration)].filter(
			({ length }) => length > 0,
		),
		alone: files.filter(isAlone).map((file) => [file]),
	};
}

/** Compares groups by their places in the order, and those of one place by their counts of files, most first. */
function byDuration(a: readonly string[], b: readonly string[]): number {
	return rank(a) - rank(b) || b.length - a.length;
}

function rank([file = ""]: readonly string[]): number {
	return order.findIndex((folder) => file.startsWith(`${folder}/`));
}

/**
 * Returns the group of a file. The quick tests of a folder share a process, because its start and the modules of the product cost as
 * much as many a test: `test/unit/agent`, `test/unit/services/gateway`, `test/integration/sessions`. Any other file has one of its own.
 */
function groupOf(file: string): string {
	const folders = file.split("/").slice(0, -1);
	if (file.startsWith("test/unit/services/")) return folders.slice(0, 4).join("/");
	if (file.startsWith("test/unit/")) return folders.slice(0, 3).join("/");
	return file.startsWith("test/integration/") && isQuick(needsOf(file)) ? folders.slice(0, 3).join("/") : file;
}

/** The most files of integration in a group: they wait, and those of a group wait one after the other. */
const mostFiles = 8;

function parted([group, files]: [string, string[]]): string[][] {
	if (!group.startsWith("test/integration/")) return [files];
	const count = Math.ceil(files.length / mostFiles);
	// Neighbours are alike, so each part gets some of every kind.
	return Array.from({ length: count }, (_, part) => files.filter((_file, index) => index % count === part));
}
