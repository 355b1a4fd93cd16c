/** Reads from the sources which service folder calls which other ones, and which ones receive its events. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import type { BusPeers } from "#shared/bus/nats/bus-peers.ts";
import type { PartModule } from "#host/platform.ts";

/** A contract or an event that a file uses under a name of its own. */
interface Used {
	readonly local: string;
	/** The name on the bus. */
	readonly name: string;
}

interface SourceFile {
	readonly text: string;
	readonly used: readonly Used[];
	/** The paths of the modules that are imported as values, except contracts. */
	readonly imports: readonly string[];
	/** Whether the file uses all contracts that have routes. */
	readonly usesAll: boolean;
}

const root = `${projectRoot}/`;
const contractsFolder = join(projectRoot, "shared/contracts/");

/** Returns the peers of each folder, in alphabetical order. */
export async function peersInSources(folders: readonly string[]): Promise<Record<string, BusPeers>> {
	const known = new Map<string, SourceFile>();
	const closures = new Map<string, SourceFile[]>();
	for (const folder of folders)
		closures.set(folder, [...(await closureOf(folder, known)), ...(await processFilesOf(folder))]);

	const namesIn = (folder: string, use: (local: string) => RegExp) => {
		const files = closures.get(folder) ?? [];
		return files.flatMap(({ text, used }) => used.filter(({ local }) => use(local).test(text)).map(({ name }) => name));
	};
	/** The folders by the names that a pattern finds in them. */
	const foldersBy = (use: (local: string) => RegExp) =>
		Map.groupBy(
			folders.flatMap((folder) => namesIn(folder, use).map((name) => ({ folder, name }))),
			({ name }) => name,
		);
	const serving = foldersBy((local) => new RegExp(`\\b(?:implement|serviceOf)\\(\\s*${local}\\b`));
	const hearing = foldersBy((local) => new RegExp(`\\bon\\(\\s*${local}\\b`));
	const reached = (names: readonly string[], by: typeof serving) =>
		[...new Set(names.flatMap((name) => (by.get(name) ?? []).map(({ folder }) => folder)))].toSorted();

	return Object.fromEntries(
		folders.map((folder) => {
			const called = namesIn(folder, (local) => new RegExp(`\\b${local}\\.actions\\b`));
			const all = closures.get(folder)?.some(({ usesAll }) => usesAll) ? [...serving.keys()] : [];
			const told = namesIn(folder, (local) => new RegExp(`\\bpublish\\((?:[^()]|\\(\\))*,\\s*${local}\\b`));
			const calls = reached([...called, ...all], serving).filter((other) => other !== folder);
			return [folder, { calls, tells: reached(told, hearing) }];
		}),
	);
}

/** Returns the files of a folder and all modules that they import, directly or not. */
async function closureOf(folder: string, known: Map<string, SourceFile>): Promise<SourceFile[]> {
	const own = readdirSync(join(projectRoot, "services", folder), { recursive: true, encoding: "utf8" });
	const queue = own.filter((path) => path.endsWith(".ts")).map((path) => join(projectRoot, "services", folder, path));
	const seen = new Set(queue);
	for (const path of queue) {
		const file = known.get(path) ?? (await read(path));
		known.set(path, file);
		for (const next of file.imports) {
			if (!seen.has(next)) queue.push(next);
			seen.add(next);
		}
	}
	return queue.map((path) => known.get(path)).filter((file) => file !== undefined);
}

/**
 * Returns what the process around a folder adds when no other folder is in it: its presence over the bus when it has no store, and
 * its link to the relay when its documents have events.
 */
async function processFilesOf(folder: string): Promise<SourceFile[]> {
	const compose = join(projectRoot, "services", folder, "compose.ts");
	const { collections = [] }: PartModule = await import(compose);
	if (collections.length === 0) return [await read(join(projectRoot, "host/process-presence.ts"))];
	if (!collections.some(({ hasOutbox, audited }) => hasOutbox || audited !== undefined)) return [];
	const link = await read(join(projectRoot, "host/relay-link.ts"));
	// The link hears of moves only when its process follows them.
	const follows = readFileSync(compose, "utf8").includes("relay.onAppended(");
	return [follows ? link : { ...link, text: link.text.replaceAll(/\bon\(/g, "") }];
}

async function read(path: string): Promise<SourceFile> {
	const text = readFileSync(path, "utf8");
	const used: Used[] = [];
	const imports: string[] = [];
	let usesAll = false;
	for (const [, names = "", from = ""] of text.matchAll(/^import \{([^}]*)\} from "([^"]+)";$/gm)) {
		const target = targetOf(path, from);
		if (target === undefined) continue;
		if (target === join(contractsFolder, "all.ts")) usesAll = true;
		else if (target.startsWith(contractsFolder)) used.push(...(await usedOf(names, target)));
		else imports.push(target);
	}
	return { text, used, imports, usesAll };
}

async function usedOf(names: string, module: string): Promise<Used[]> {
	const exported = (await import(module)) as Record<string, unknown>;
	return names.split(",").flatMap((entry) => {
		const [original = "", local = original] = entry.trim().split(/\s+as\s+/);
		const value = exported[original];
		return typeof value === "object" && value !== null && "name" in value ? [{ local, name: String(value.name) }] : [];
	});
}

function targetOf(path: string, from: string): string | undefined {
	const target = from.startsWith("#") ? join(projectRoot, from.slice(1)) : resolve(dirname(path), from);
	const isOurs = /^(?:shared|services|host)\//.test(relative(root, target));
	return (from.startsWith("#") || from.startsWith(".")) && isOurs && existsSync(target) ? target : undefined;
}
