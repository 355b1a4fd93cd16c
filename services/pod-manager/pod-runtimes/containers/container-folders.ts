/**
 * The files of sessions in containers. `sessions/<id>` is the platform's, and everybody may write in it; the folder above it is
 * closed, so that only the platform and the container that has it mounted get there. What is in it belongs to the user of
 * sessions. A platform that is not root lets helpers change what it cannot (helpers/folder-helpers.ts).
 */
import { chmod, lstat, mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { entriesOf, unlessMissing } from "../machine/folder-entries.ts";
import { giveEntry } from "../machine/given-entry.ts";
import { FolderSizes } from "#shared/wire/pod/size/folder-size.ts";
import type { MeasuredFiles, MeasureTerms } from "../../pod-runtime.ts";
import { recordNames, type SessionFolders, workspaceNames } from "../machine/session-folders.ts";
import type { FolderHelpers } from "./helpers/folder-helpers.ts";

const closed = 0o700;
const shared = 0o777;
const permissions = 0o777;

export interface ContainerFoldersDependencies {
	/** The folder above those of all sessions. */
	readonly root: string;
	readonly sessions: SessionFolders;
	/** The user and group of sessions. */
	readonly user: number;
	/** Absent: this process may change the files of every user. */
	readonly helpers?: FolderHelpers | undefined;
}

/** The places of the files of one session. */
interface FilesOfSession {
	/** The ids of sessions and workspaces. */
	readonly ids: readonly string[];
	/** The folders of containers' own sockets, in which a session may put anything. */
	readonly beside: readonly string[];
	/** The ids of containers whose removed files count while they are open. */
	readonly containers: readonly string[];
}

export class ContainerFolders {
	readonly #given: ContainerFoldersDependencies;
	readonly #sizes = new FolderSizes();

	constructor(given: ContainerFoldersDependencies) {
		this.#given = given;
	}

	/** Closes the folder above. @throws {Error} when it belongs to another user. */
	async open(): Promise<void> {
		await mkdir(this.#given.root, { recursive: true, mode: closed });
		await chmod(this.#given.root, closed);
	}

	close(): void {
		this.#sizes.close();
	}

	/** Makes the folder of a session or a workspace, and gives what is in it to the user of sessions. */
	async make(id: string, signal?: AbortSignal): Promise<string> {
		const { sessions } = this.#given;
		const folder = sessions.whole(id);
		await makeShared(folder);
		await this.#giveContent(folder, signal);
		return folder;
	}

	async removeRecords(sessionId: string, signal?: AbortSignal): Promise<void> {
		const { helpers, sessions } = this.#given;
		const folder = sessions.whole(sessionId);
		if (helpers && (await hasContent(folder))) await helpers.run("removeRecords", folder, signal);
		else if (!helpers) await sessions.discardRecords(sessionId);
		await this.#tidy(folder, workspaceNames, signal);
	}

	async removeWorkspace(workspaceId: string): Promise<void> {
		const { helpers, sessions } = this.#given;
		const folder = sessions.whole(workspaceId);
		if (helpers && (await hasContent(folder))) await helpers.run("removeWorkspace", folder);
		else if (!helpers) await sessions.discardWorkspace(workspaceId);
		await this.#tidy(folder, recordNames);
	}

	/**
	 * Returns the size of all files in folders of a session. A platform that is not root counts what it may read, and asks a helper
	 * for the others.
	 */
	async size({ ids, beside, containers }: FilesOfSession, terms: MeasureTerms): Promise<MeasuredFiles> {
		const { helpers, sessions } = this.#given;
		const folders = [...ids.map((id) => sessions.whole(id)), ...beside];
		if (helpers) return this.#sizeOfSome(folders, terms, helpers);
		const { bytes, partial } = await this.#sizes.of(folders, { ...terms, openedBy: { containers } });
		return { bytes, partial };
	}

	/** Measures one folder after the other, each within the time. A helper that has to start has all of it for its work. */
	async #sizeOfSome(folders: readonly string[], terms: MeasureTerms, helpers: FolderHelpers): Promise<MeasuredFiles> {
		let bytes = 0;
		for (const folder of folders) {
			const counted = await this.#sizes.of([folder], terms);
			const { bytes: more, partial } = counted.hasUnreadable ? await helpers.size(folder, terms) : counted;
			bytes += more;
			if (partial) return { bytes, partial };
		}
		return { bytes };
	}

	/** Makes the folder of a container's own socket removable: a session may have put folders there. */
	async clear(folder: string, signal?: AbortSignal): Promise<void> {
		const { helpers } = this.#given;
		if (!helpers) return;
		for await (const { isDirectory } of entriesOf(folder)) {
			if (!isDirectory) continue;
			await helpers.run("clear", folder, signal);
			return;
		}
	}

	/**
	 * Removes what commands have put beside, when nothing is left that is kept, and then the folder. A new session that makes its
	 * files meanwhile keeps them, because the helper removes only other names.
	 */
	async #tidy(folder: string, kept: readonly string[], signal?: AbortSignal): Promise<void> {
		const { helpers } = this.#given;
		if (!helpers) return;
		for (const name of kept) if (await lstat(join(folder, name)).catch(unlessMissing)) return;
		if (await hasContent(folder)) await helpers.run("removeOthers", folder, signal);
		// This fails, as intended, when something was put into the folder meanwhile.
		await rmdir(folder).catch(() => {});
	}

	/** Only the platform, a backup or an earlier setting leaves files of another user. */
	async #giveContent(folder: string, signal?: AbortSignal): Promise<void> {
		const { helpers, user } = this.#given;
		for await (const entry of entriesOf(folder)) {
			if ((await lstat(entry.path).catch(unlessMissing))?.uid === user) continue;
			if (helpers) {
				await helpers.run("give", folder, signal);
				return;
			}
			await giveEntry(entry, { user, group: user });
		}
	}
}

/** Makes a folder in which every user may write. Its name and the folder above are the platform's. */
export async function makeShared(folder: string): Promise<void> {
	await mkdir(folder, { recursive: true, mode: closed });
	const { mode } = await lstat(folder);
	if ((mode & permissions) !== shared) await chmod(folder, shared);
}

async function hasContent(folder: string): Promise<boolean> {
	for await (const _entry of entriesOf(folder)) return true;
	return false;
}
