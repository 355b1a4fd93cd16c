/**
 * The files of the program that runs in every session pod: the session agent, the built-in agent, and the packages that they
 * load. It is copied to places that have nothing else of the platform, which are images and folders for images of others.
 */
import { existsSync } from "node:fs";
import { cp, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The program's own files and folders in the project. */
const ownFiles = ["package.json", "LICENSE", "agent", "shared", "config/agents"];

/** The packages that its modules import; their own packages come with them. */
const agentPackages = [
	"@ai-sdk/anthropic",
	"@ai-sdk/mcp",
	"@ai-sdk/openai-compatible",
	"diff",
	"fastest-validator",
	"ws",
	"yaml",
];

/** Files of packages that no program reads: Node strips no types in packages. Licences stay. */
const unneeded = /\.(?:[cm]?ts|map|markdown|md)$/i;

interface Manifest {
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly peerDependencies?: Readonly<Record<string, string>>;
	readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Returns the paths of the program below the project, the folders of its packages among them. @param root The project. */
export async function agentProgram(root: string): Promise<string[]> {
	const packages = new Set<string>();
	for (const name of agentPackages) await addPackage(packages, root, join("node_modules", name));
	// Those inside another package come with its folder.
	const outer = [...packages].filter((path) => path.lastIndexOf("node_modules") === 0);
	return [...ownFiles.filter((path) => existsSync(join(root, path))), ...outer.sort()];
}

/** Copies the program into a folder. */
export async function copyAgentProgram(root: string, folder: string): Promise<void> {
	for (const path of await agentProgram(root)) {
		const isPackage = path.startsWith("node_modules");
		const filter = (source: string) => !isPackage || !unneeded.test(source);
		await mkdir(dirname(join(folder, path)), { recursive: true });
		await cp(join(root, path), join(folder, path), { recursive: true, dereference: true, filter });
	}
}

/** Adds a package and all that it needs. @param path Its folder. */
async function addPackage(packages: Set<string>, root: string, path: string): Promise<void> {
	if (packages.has(path)) return;
	packages.add(path);
	const manifest = JSON.parse(await readFile(join(root, path, "package.json"), "utf8")) as Manifest;
	for (const name of neededBy(manifest)) {
		const found = nearest(root, path, name);
		if (found === undefined) throw new Error(`The package "${name}", which "${path}" needs, is not installed`);
		await addPackage(packages, root, found);
	}
}

function neededBy({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: Manifest): string[] {
	const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
	return [...Object.keys(dependencies), ...peers];
}

/** Finds a package as Node does: in the folder of the package that asks, and in those above it. */
function nearest(root: string, path: string, name: string): string | undefined {
	for (let folder = path; folder !== "."; folder = dirname(folder)) {
		const found = join(folder, "node_modules", name);
		if (existsSync(join(root, found, "package.json"))) return found;
	}
	const found = join("node_modules", name);
	return existsSync(join(root, found, "package.json")) ? found : undefined;
}
