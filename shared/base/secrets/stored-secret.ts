/** A secret of the installation in its own file `<dataDir>/keys/<name>` (mode 0600), created on first use. */
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeNewFile } from "../files/new-file.ts";
import { makeFolder } from "../files/new-folder.ts";

/** The description of one secret: its file, its form and how it is created. */
export interface SecretKind {
	/** The name of the file. */
	readonly name: string;
	/** The folder of the file in the data folder; default `keys`. */
	readonly folder?: string;
	readonly form: RegExp;
	readonly make: () => string;
}

/**
 * Returns the secret. An existing one is only read, so a full disk does not prevent that.
 * @throws {Error} when the folder cannot be used, or the file holds no complete secret: anybody could guess an empty
 * one.
 */
export function storedSecret(dataDir: string, { name, form, make, folder: place = "keys" }: SecretKind): string {
	const folder = join(dataDir, place);
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

/**
 * Reads the file without blocking: a start that waits for the other end of a pipe would not react to signals. @throws
 * {Error} when it is no regular file.
 */
function textOf(path: string): string {
	const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		if (!fstatSync(file).isFile()) throw new Error(`"${path}" is no file`);
		return readFileSync(file, "utf8");
	} finally {
		closeSync(file);
	}
}
