/**
 * The record of tests that passed at their second try only: one line `<day> <test file>` each, kept in the repository and
 * written by hand when a run says so. A busy machine explains one such pass; a file that needs a second try once more has a race,
 * and fails the run until the race is mended and its line removed.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

const record = process.env["ATELIER_SECOND_TRIES"] ?? join(projectRoot, "test/second-tries.txt");

/** Returns the day on which each test file needed its second try before. */
export function earlierSecondTries(): ReadonlyMap<string, string> {
	const lines = readFileSync(record, "utf8")
		.split("\n")
		.filter((line) => line !== "" && !line.startsWith("#"));
	return new Map(
		lines.map((line) => {
			const [day = "", file = ""] = line.split(" ");
			return [file, day];
		}),
	);
}
