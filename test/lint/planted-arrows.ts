/** The imports that the layers of modules forbid and allow (oxlint.layers.ts), as files that lint has to judge. */
import { layers } from "../../oxlint.layers.ts";
import { importing, imports } from "./importing.ts";

/** A file, and the rule that has to refuse it. */
export interface Plant {
	file: string;
	source: string;
	rule: string;
	/** Words of our own sentence; absent if the rule has none. */
	says?: string;
}

/**
 * Every import that the layers do not allow: of a neighbour, of it by its whole name, from a subfolder, and of the
 * root.
 */
export function forbiddenArrows(): Plant[] {
	return Object.entries(layers).flatMap(([module, folders]) =>
		Object.entries(folders).flatMap(([folder, allowed]) => {
			const arrow = (name: string, specifier: string): Plant => ({
				file: `${module}/${folder}/${name}.ts`,
				source: importing(specifier),
				rule: imports,
				says: wordsAgainst(module, folder, specifier),
			});
			const others = Object.keys(folders).filter((other) => other !== folder && !allowed.includes(other));
			const ofRoot = allowed.includes(".")
				? []
				: [arrow("to-root", "../thing.ts"), arrow("deeper/to-root", "../../thing.ts")];
			return [
				...ofRoot,
				...others.flatMap((other) => [
					arrow(`to-${other}`, `../${other}/thing.ts`),
					arrow(`to-${other}-by-name`, `#${module}/${other}/thing.ts`),
					arrow(`deeper/to-${other}`, `../../${other}/thing.ts`),
				]),
			];
		}),
	);
}

/** Returns words of the sentence that refuses the import; some modules refuse it by another rule than their layers. */
function wordsAgainst(module: string, folder: string, specifier: string): string {
	if (specifier.startsWith("#services")) return "contract";
	if (specifier.startsWith("#agent")) return "program";
	return module === "shared" && folder === "contracts" ? "values only" : "layers";
}

/** Every import that the layers allow, and one of a subfolder of the same module. Contracts import values only. */
export function allowedArrows(): Record<string, string> {
	const files = Object.entries(layers).flatMap(([module, folders]) =>
		Object.entries(folders).flatMap(([folder, allowed]): [string, string][] => [
			[`${module}/${folder}/own.ts`, importing("./deeper/thing.ts")],
			...allowed.map((other): [string, string] => [
				`${module}/${folder}/from-${other}.ts`,
				importing(wayTo(module, other)),
			]),
		]),
	);
	return Object.fromEntries(files.filter(([file]) => file !== "shared/contracts/from-base.ts"));
}

function wayTo(module: string, folder: string): string {
	if (module === "shared") return `#shared/${folder}/thing.ts`;
	return folder === "." ? "../thing.ts" : `../${folder}/thing.ts`;
}
