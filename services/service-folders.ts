/** The service folders: in which order they start, and what each of them contributes to a process. */
import { join } from "node:path";
import { ConfigError } from "#shared/config/config.ts";
import type { PartModule } from "#shared/platform.ts";

/** In the order in which they start; they end the other way round. */
export const serviceFolders = [
	"event-log",
	"sessions",
	"blueprints",
	"settings",
	"identity",
	"pod-manager",
	"models",
	"stream",
	"gateway",
] as const;

/** What service folders export, by their names. */
export type PartModules = ReadonlyMap<string, PartModule>;

/**
 * The named folders in the order in which they start; all of them without names.
 * @throws {ConfigError} for a name that no folder has.
 */
export function chosenFolders(names: readonly string[]): readonly string[] {
	const unknown = names.find((name) => !serviceFolders.some((folder) => folder === name));
	if (unknown !== undefined)
		throw new ConfigError(`There is no service "${unknown}"; there are ${serviceFolders.join(", ")}`);
	return names.length === 0 ? serviceFolders : serviceFolders.filter((folder) => names.includes(folder));
}

export async function loadParts(names: readonly string[]): Promise<PartModules> {
	const parts = new Map<string, PartModule>();
	for (const name of names) parts.set(name, await import(join(import.meta.dirname, name, "compose.ts")));
	return parts;
}
