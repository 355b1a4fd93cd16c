/**
 * `npm run image:dependencies` packs the installed packages that the platform runs with into dependencies.tar, so that
 * images can be built without a network (Dockerfile). Packages for development, and the Node.js that comes as a package,
 * are not among them.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

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

const file = join(root, process.argv[2] ?? "dependencies.tar");
const missing = production().filter((path) => !existsSync(join(root, path)));
if (missing.length > 0) {
	console.error(`Not installed: ${missing.join(", ")}; run npm ci`);
	process.exitCode = 1;
} else {
	const list = `${file}.list`;
	writeFileSync(list, production().join("\n"));
	execFileSync("tar", ["-cf", file, "--owner=0", "--group=0", "-T", list], { cwd: root });
	execFileSync("rm", [list]);
	console.log(`${file} has ${production().length} packages`);
}
