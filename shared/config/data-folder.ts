/**
 * Says when the programs of sessions find a package or a repository above the data folder
 * (docs/decisions/0128-data-are-below-no-package.md).
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The entries by which npm, Node and git recognise a package, its modules and a repository. */
const signs = ["package.json", "node_modules", ".git"];

/** Returns the sentence for every start, `/health`, `npm run config` and the doctor; undefined when nothing is above the folder. */
export function dataFolderWarning(folder: string): string | undefined {
	for (const above of withAncestors(realPath(folder))) {
		const found = signs.filter((name) => existsSync(join(above, name)));
		if (found.length === 0) continue;
		return (
			`The data folder "${folder}" is inside "${above}", which has ${found.join(", ")}: npm, Node and git in sessions find and may change what ` +
			"is there; move the data as docs/upgrade.md says, and name the new folder in DATA_DIR if it is not the default"
		);
	}
	return undefined;
}

/** Returns the path without symbolic links, because programs look upward from there; the folder need not exist. */
function realPath(folder: string): string {
	const path = resolve(folder);
	try {
		return realpathSync(path);
	} catch {
		return dirname(path) === path ? path : join(realPath(dirname(path)), path.slice(dirname(path).length));
	}
}

function withAncestors(folder: string): string[] {
	const above = dirname(folder);
	return above === folder ? [folder] : [folder, ...withAncestors(above)];
}
