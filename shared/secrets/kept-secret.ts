/** A secret of the installation in a file of its own, `<dataDir>/keys/<name>` (mode 0600), made on first use. */
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeNewFile } from "../files/new-file.ts";
import { makeFolder } from "../files/new-folder.ts";

export interface SecretKind {
	/** Name of the file. */
	readonly name: string;
	/** What every one of them looks like. */
	readonly form: RegExp;
	readonly make: () => string;
}

/**
 * Its text. One that is there is only read: a full disk keeps nobody from it.
 * @throws {Error} when the folder cannot be used, or the file does not hold a whole one: everybody may know an empty secret.
 */
export function keptSecret(dataDir: string, { name, form, make }: SecretKind): string {
	const folder = join(dataDir, "keys");
	const file = join(folder, name);
	if (!existsSync(file)) {
		makeFolder(folder);
		writeNewFile(file, make(), 0o600);
	}
	const text = textOf(file).trim();
	if (!form.test(text))
		throw new Error(`"${file}" holds no whole secret; restore it, or remove it to have another one`);
	return text;
}

/** A start that waits for the other end of a pipe hears no signal. @throws {Error} for what is no file. */
function textOf(path: string): string {
	const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		if (!fstatSync(file).isFile()) throw new Error(`"${path}" is no file`);
		return readFileSync(file, "utf8");
	} finally {
		closeSync(file);
	}
}
