/**
 * The fingerprint of the key beside encrypted files. A process with another key, or with none, neither starts with them
 * nor changes them: half of the files would be readable by nobody.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "#shared/base/files/new-folder.ts";
import { createFile } from "#shared/base/files/replaced-file.ts";

/** The mark of one folder. A folder that has none was never encrypted. */
export class KeyMark {
	readonly #folder: string;
	readonly #file: string;
	/** Undefined without a key. */
	readonly #print: string | undefined;

	constructor(folder: string, key: string | undefined) {
		this.#folder = folder;
		this.#file = join(folder, ".key");
		this.#print = key ? printOf(key) : undefined;
	}

	/** @throws {RangeError} when the files were encrypted with another key than this process has. */
	refuseOther(): void {
		if (!existsSync(this.#file)) return;
		const known = readFileSync(this.#file, "utf8").trim();
		if (known === this.#print) return;
		throw new RangeError(
			`the files in "${this.#folder}" are encrypted, and ${this.#print === undefined ? "this process has no key" : "this process has another key"}; ` +
				"give all processes the key of before (CREDENTIAL_ENCRYPTION_KEY, docs/credentials.md)",
		);
	}

	/** Marks the folder before something is encrypted in it. @throws {RangeError} as {@link refuseOther} does. */
	async claim(): Promise<void> {
		if (this.#print !== undefined && !existsSync(this.#file)) {
			makeFolder(this.#folder);
			await createFile(this.#file, this.#print);
		}
		this.refuseOther();
	}
}

function printOf(key: string): string {
	return createHash("sha256")
		.update("atelier/credential-key/")
		.update(Buffer.from(key, "base64"))
		.digest("hex")
		.slice(0, 16);
}
