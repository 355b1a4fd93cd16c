/**
 * Keeps credentials in files: `<base_dir>/<owner type>/<owner>/credentials.json` with everything, and one
 * `<name>.json` with the fields of each credential, for mounts. Files are replaced as a whole (0600, folders 0700), and
 * encrypted when there is a key. Several processes may share the folder.
 */
import { bound } from "#shared/base/bounds.ts";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { constants } from "node:fs";
import { UnavailableError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { makeFolder } from "#shared/base/files/new-folder.ts";
import { replaceOpen, syncFolder } from "#shared/base/files/replaced-file.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import { type CredentialOwner, ownerFolder } from "../store/credential-owner.ts";
import { type CredentialSet, ownerOfText, parseSet, setText } from "../store/credential-set.ts";
import { CredentialSets } from "../store/credential-sets.ts";
import { KeyMark } from "../store/key-mark.ts";
import { FolderLocks } from "../store/folder-lock.ts";
import { TextSeal } from "#shared/base/secrets/sealed-text.ts";

interface FileCredentialsOptions {
	/** The folder; default `credentials` in the data folder. */
	readonly base_dir?: string | undefined;
	/** 32 bytes in base64; empty or absent: the files are not encrypted. */
	readonly encryption_key?: string | undefined;
	/** Most credentials of one owner. */
	readonly max_per_owner?: number;
	/** The folder without `base_dir`; the platform gives it. */
	readonly default_dir: string;
}

const indexFile = "credentials.json";
/** The bound on a file; a hundred credentials of the largest size have a third of it. */
const maxBytes = 16 * 1_048_576;

export class FileCredentials extends CredentialSets {
	static readonly kwargs = ["base_dir", "encryption_key", "max_per_owner"];
	static readonly typedKwargs = ["max_per_owner"];
	/** Processes on other machines do not have them. */
	static readonly reach = "host";
	readonly #folder: string;
	readonly #seal: TextSeal;
	readonly #mark: KeyMark;
	readonly #locks = new FolderLocks();

	/** @throws {RangeError} for an encryption key of another form, or another one than that of the files. */
	constructor({ base_dir, encryption_key, max_per_owner = bound.credentials, default_dir }: FileCredentialsOptions) {
		super(max_per_owner);
		this.#folder = FileCredentials.folderOf({ base_dir, default_dir });
		this.#seal = new TextSeal(encryption_key);
		this.#mark = new KeyMark(this.#folder, encryption_key);
		this.#mark.refuseOther();
	}

	/** Returns the folder of the files, which a backup copies as they are. */
	static folderOf({ base_dir, default_dir }: Pick<FileCredentialsOptions, "base_dir" | "default_dir">): string {
		return base_dir || default_dir;
	}

	/**
	 * Changes the owner's credentials under a lock, and returns them. Each owner has a lock, so that nobody waits for
	 * the changes of somebody else. It is outside of the owner's folder, where only credentials remain.
	 */
	protected change(owner: CredentialOwner, decide: (former: CredentialSet) => CredentialSet): Promise<CredentialSet> {
		const lock = join(this.#folder, ".locks", owner.type, ownerFolder(owner));
		return this.#locks.run(lock, async () => {
			const folder = this.#pathOf(owner);
			await this.#mark.claim().catch((cause: unknown) => {
				throw unreadable(this.#folder, cause);
			});
			const former = await this.read(owner);
			const changed = decide(former);
			makeFolder(folder);
			// Values that are no longer stored must not remain in a file, so those go first: after a kill in between, the
			// list still has them, and the next change puts them right.
			await removeOthers(folder, new Set([indexFile, ...[...changed.keys()].map(fileOf)]));
			failpoint("credentials.files-removed");
			await this.#write(owner, indexFile, setText(changed, owner));
			failpoint("credentials.written");
			await this.#writeFields(owner, former, changed);
			return changed;
		});
	}

	/** Writes the files with the fields that have changed, and those that a kill has left out of date. */
	async #writeFields(owner: CredentialOwner, former: CredentialSet, changed: CredentialSet): Promise<void> {
		for (const [name, { data }] of changed) {
			const text = JSON.stringify(data);
			const isSame = former.get(name)?.data === data && (await this.#isWritten(owner, fileOf(name), text));
			if (!isSame) await this.#write(owner, fileOf(name), text);
		}
	}

	/** Whether the file has this text, in the form in which it would be written now. */
	async #isWritten(owner: CredentialOwner, file: string, text: string): Promise<boolean> {
		const content = await readUntrusted(join(this.#pathOf(owner), file), maxBytes).catch(() => undefined);
		const stored = content?.toString("utf8") ?? "";
		if (!this.#seal.isCurrent(stored)) return false;
		return this.#readFile(owner, file).then(
			(found) => found === text,
			() => false,
		);
	}

	/** @throws {UnavailableError} when the credentials of somebody cannot be read. */
	async owners(): Promise<CredentialOwner[]> {
		const owners: CredentialOwner[] = [];
		for (const type of ["user", "tenant"] as const) {
			const folders = await readdir(join(this.#folder, type)).catch(() => []);
			for (const folder of folders) {
				const owner = await this.#ownerOf(type, folder);
				if (owner) owners.push(owner);
			}
		}
		return owners;
	}

	async #ownerOf(type: CredentialOwner["type"], folder: string): Promise<CredentialOwner | undefined> {
		const path = join(this.#folder, type, folder, indexFile);
		try {
			const content = await readUntrusted(path, maxBytes);
			const text = content && this.#seal.open(content.toString("utf8"), `${type}/${folder}/${indexFile}`);
			return text === undefined ? undefined : ownerOfText(text);
		} catch (cause) {
			throw unreadable(path, cause);
		}
	}

	protected async read(owner: CredentialOwner): Promise<CredentialSet> {
		try {
			const text = await this.#readFile(owner, indexFile);
			return text === undefined ? new Map() : parseSet(text);
		} catch (cause) {
			throw unreadable(join(this.#pathOf(owner), indexFile), cause);
		}
	}

	async #readFile(owner: CredentialOwner, file: string): Promise<string | undefined> {
		const content = await readUntrusted(join(this.#pathOf(owner), file), maxBytes);
		return content && this.#seal.open(content.toString("utf8"), placeOf(owner, file));
	}

	async #write(owner: CredentialOwner, file: string, text: string): Promise<void> {
		const path = join(this.#pathOf(owner), file);
		const sealed = this.#seal.seal(text, placeOf(owner, file));
		await (await replaceOpen(path, sealed, constants.O_WRONLY)).close();
	}

	#pathOf(owner: CredentialOwner): string {
		return join(this.#folder, owner.type, ownerFolder(owner));
	}
}

/** Returns the name of the file with the fields. No credential's name has a dot, so `credentials` gets one of its own. */
function fileOf(name: string): string {
	return name === "credentials" ? "credentials.fields.json" : `${name}.json`;
}

function placeOf(owner: CredentialOwner, file: string): string {
	return `${owner.type}/${ownerFolder(owner)}/${file}`;
}

/** Removes the files of deleted credentials, and the drafts of a process that was killed. */
async function removeOthers(folder: string, kept: ReadonlySet<string>): Promise<void> {
	const others = (await readdir(folder)).filter((name) => !kept.has(name));
	for (const name of others) await rm(join(folder, name), { recursive: true, force: true });
	if (others.length > 0) await syncFolder(join(folder, indexFile));
}

/** The sentence names the file, which an administrator has to look at, and nothing of its content. */
function unreadable(path: string, cause: unknown): UnavailableError {
	const reason = cause instanceof Error ? cause.message : String(cause);
	const error = new UnavailableError("The credentials cannot be read at the moment", "CREDENTIALS_UNREADABLE");
	error.cause = new Error(`Cannot read "${path}": ${reason}`);
	return error;
}
