/** Reads the systemd units of config/systemd as systemd does (systemd.syntax(7), systemd.exec(5)). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

const folder = join(projectRoot, "config/systemd");

/** The unit of the filter before a container engine, which runs no services. */
export const filterUnit = "atelier-engine-filter.service";
/** The names of the files of the platform's units. */
export const systemdUnits: readonly string[] = readdirSync(folder).filter(
	(name) => name.endsWith(".service") && name !== filterUnit,
);

/** The settings of one unit, by section and name; a repeated one has several values. */
export type SystemdUnit = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** Reads a unit. @param instance The text for which `%i` stands. @throws {Error} for a line that systemd would ignore. */
export function readUnit(name: string, instance = "1"): SystemdUnit {
	const sections = new Map<string, Map<string, string[]>>();
	let section = new Map<string, string[]>();
	for (const line of readFileSync(join(folder, name), "utf8")
		.split("\n")
		.filter((text) => !/^(?:#|$)/.test(text))) {
		const title = /^\[(\w+)\]$/.exec(line)?.[1];
		if (title === undefined) addSetting(section, line.replaceAll("%i", instance));
		else sections.set(title, (section = new Map<string, string[]>()));
	}
	return sections;
}

function addSetting(section: Map<string, string[]>, line: string): void {
	const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
	if (key === undefined || value === undefined) throw new Error(`A unit has a line that says nothing: ${line}`);
	section.set(key, [...(section.get(key) ?? []), value]);
}

/** A command of a unit, with the variables of its environment file and its own ones. */
export interface UnitCommand {
	readonly program: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
}

/** Returns what a unit starts, with this project in the place of the installed one. */
export function commandOf(name: string, instance?: string): UnitCommand {
	const service = readUnit(name, instance).get("Service");
	const [program = "", ...args] = (service?.get("ExecStart") ?? []).join(" ").split(" ");
	const own = (service?.get("Environment") ?? []).join(" ").split(" ");
	const env = { ...readEnvironment(), ...Object.fromEntries(own.map(pairOf)) };
	return { program: program.replace("/opt/atelier", projectRoot), args, env };
}

/** Returns the variables of the documented environment file. */
export function readEnvironment(): Record<string, string> {
	const lines = readFileSync(join(folder, "environment"), "utf8").split("\n");
	return Object.fromEntries(lines.filter((line) => /^\w+=/.test(line)).map(pairOf));
}

function pairOf(line: string): [name: string, value: string] {
	const at = line.indexOf("=");
	return [line.slice(0, at), line.slice(at + 1)];
}
