/** The service folders: the order in which they start, and the parts that they contribute to a process. */
import { join } from "node:path";
import { CommandLineError } from "#shared/config/command-line.ts";
import type { PartModule } from "./platform.ts";

/** The folders in the order in which they start; they end in reverse order. */
export const serviceFolders = [
	"event-log",
	"sessions",
	"blueprints",
	"settings",
	"audit",
	"identity",
	"pat",
	"git",
	"tracker",
	"integrations",
	"credentials",
	"pod-manager",
	"models",
	"stream",
	"gateway",
] as const;

/** The modules of service folders by the folders' names. */
export type PartModules = ReadonlyMap<string, PartModule>;

/**
 * Returns the named folders in the order in which they start; all folders when none is named.
 * @throws {CommandLineError} for an unknown name.
 */
export function chosenFolders(names: readonly string[]): readonly string[] {
	const unknown = names.find((name) => !serviceFolders.some((folder) => folder === name));
	if (unknown !== undefined)
		throw new CommandLineError(`There is no service "${unknown}"; there are ${serviceFolders.join(", ")}`);
	return names.length === 0 ? serviceFolders : serviceFolders.filter((folder) => names.includes(folder));
}

export async function loadParts(names: readonly string[]): Promise<PartModules> {
	const parts = new Map<string, PartModule>();
	for (const name of names) parts.set(name, await import(join(import.meta.dirname, "../services", name, "compose.ts")));
	return parts;
}
