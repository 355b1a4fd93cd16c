/**
 * `npm run image:dependencies` packs the installed packages that the platform runs with into dependencies.tar, so that
 * images can be built without a network (Dockerfile). Packages for development, and the Node.js that comes as a package,
 * are not among them.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readCommandLine } from "#shared/config/command-line.ts";

const root = join(import.meta.dirname, "../..");

const { positionals } = readCommandLine({
	usage: "npm run image:dependencies [-- <file>]",
	summary: "Packs the installed packages that the platform runs with, for images that are built without a network.",
	operands: { help: { "<file>": "the file to make; default: dependencies.tar of the project" }, most: 1 },
	options: {},
});

interface LockedPackage {
	readonly dev?: boolean;
	readonly optional?: boolean;
	readonly devOptional?: boolean;
}

/** Returns the folders of the packages, as the lock file names them; those inside another package go with it. */
function production(): string[] {
	const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
		readFileSync(join(root, "package-lock.json"), "utf8"),
	);
	const packages = Object.entries(lock.packages).filter(([path, { dev, optional, devOptional }]) => {
		return path.lastIndexOf("node_modules/") === 0 && !dev && !optional && !devOptional;
	});
	return packages.map(([path]) => path);
}

const file = resolve(positionals[0] ?? join(root, "dependencies.tar"));
const missing = production().filter((path) => !existsSync(join(root, path)));
if (missing.length > 0) {
	console.error(`Not installed: ${missing.join(", ")}; run npm ci`);
	process.exitCode = 1;
} else {
	const list = `${file}.list`;
	writeFileSync(list, production().join("\n"));
	execFileSync("tar", ["-cf", file, "--owner=0", "--group=0", "-T", list], { cwd: root });
	rmSync(list);
	console.log(`${file} has ${production().length} packages`);
}
