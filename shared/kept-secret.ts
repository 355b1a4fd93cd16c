/** A secret of the installation in a file of its own, `<dataDir>/keys/<name>` (mode 0600), made on first use. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeNewFile } from "./new-file.ts";
import { makeFolder } from "./new-folder.ts";

/** Its text. One that is there is only read: a full disk keeps nobody from it. @throws {Error} when the folder cannot be used. */
export function keptSecret(dataDir: string, name: string, made: () => string): string {
	const folder = join(dataDir, "keys");
	const file = join(folder, name);
	if (!existsSync(file)) {
		makeFolder(folder);
		writeNewFile(file, made(), 0o600);
	}
	return readFileSync(file, "utf8").trim();
}
