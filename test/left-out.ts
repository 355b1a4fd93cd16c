/** Lists, at the end of a test run, the omitted tests with the command that runs them. */
import { needsOf, type TestNeeds } from "./test-needs.ts";

/** Returns the lines; none when nothing is omitted. */
export function leftOutLines(files: readonly string[]): string[] {
	const atNight = files.filter((file) => needsOf(file).night !== undefined);
	const others = files.filter((file) => !atNight.includes(file));
	return [...linesOf(others, commandFor(others)), ...linesOf(atNight, "npm run test:night")];
}

function linesOf(files: readonly string[], command: string): string[] {
	if (files.length === 0) return [];
	const groups = Map.groupBy(files, (file) => groupOf(needsOf(file)));
	const counts = [...groups].map(([group, { length }]) => `${length} ${length === 1 ? "file" : "files"} (${group})`);
	return [
		`Left out: ${counts.join(", ")}; ${command} runs them`,
		...[...groups].map(([group, members]) => `  ${group}: ${members.map(shortName).join(", ")}`),
	];
}

function groupOf({ programs, long, night }: TestNeeds): string {
	if (night !== undefined) return "run at night";
	if (programs.length === 0) return long === undefined ? "start platforms" : "take long";
	return programs.includes("agents") ? "need coding agents" : `need ${programs.join(" and ")}`;
}

function commandFor(files: readonly string[]): string {
	const programs = new Set(files.flatMap((file) => needsOf(file).programs));
	const servers = [...programs].filter((program) => program !== "agents");
	return servers.length === 0
		? "npm run test:all"
		: `npm run servers -- get ${servers.toSorted().join(" ")}, then npm run test:all`;
}

function shortName(file: string): string {
	return file.replace(/^test\//, "").replace(/\.test\.ts$/, "");
}
