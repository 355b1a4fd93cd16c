/**
 * The folders that outlive pods. `sessions/<session id>/state` has the agent's own records, and `agent.log` beside it the
 * output of an agent that died without a status. `sessions/<workspace id>/workspace` has the files of a workspace, and
 * `lock` beside it is locked by the agent that uses them; a workspace usually has the id of its first session.
 */
import { lstat, mkdir, rename, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { entriesOf, makeWritable, namesIn } from "./folder-entries.ts";
import { isSessionId, sessionName } from "../launches/launch.ts";
import { Trash } from "./trash.ts";

/** The names of a session's records, and of a workspace, in its folder. */
export const recordNames: readonly string[] = ["state", "agent.log"];
export const workspaceNames: readonly string[] = ["workspace", "workspace.partial"];

/** The folders of all sessions and workspaces of one installation. */
export class SessionFolders {
	readonly #root: string;
	readonly trash: Trash;

	constructor(root: string) {
		this.#root = root;
		this.trash = new Trash(join(root, ".trash"));
	}

	async create(sessionId: string, workspaceId: string): Promise<{ workspace: string; state: string }> {
		const folders = { workspace: this.workspace(workspaceId), state: join(this.#path(sessionId), "state") };
		for (const path of Object.values(folders)) await makeFolder(path);
		return folders;
	}

	/** Returns the path of all that belongs to a workspace, with the records of its first session. */
	whole(workspaceId: string): string {
		return this.#path(workspaceId);
	}

	workspace(workspaceId: string): string {
		return join(this.#path(workspaceId), "workspace");
	}

	/** Returns the path of the file that the session's agent locks (agent/session-lock.ts). */
	lock(sessionId: string): string {
		return join(this.#path(sessionId), "state", "lock");
	}

	/** Moves the output of an agent to `agent.log` in the session's folder, in the place of an earlier one. */
	async keepOutput(sessionId: string, log: string): Promise<void> {
		await rename(log, join(this.#path(sessionId), "agent.log"));
	}

	async list(): Promise<string[]> {
		return (await namesIn(this.#root)).filter(isSessionId);
	}

	/** Removes the records of a session; its workspace stays. */
	discardRecords(sessionId: string): Promise<void> {
		return this.#discard(this.#path(sessionId), recordNames);
	}

	/** Removes the files of a workspace, and those of a clone that was interrupted; records of a session stay. */
	discardWorkspace(workspaceId: string): Promise<void> {
		return this.#discard(this.#path(workspaceId), workspaceNames);
	}

	async #discard(folder: string, names: readonly string[]): Promise<void> {
		await makeWritable(folder);
		for (const name of names) await this.trash.discard(join(folder, name));
		await this.#tidy(folder);
	}

	/**
	 * Removes from a folder without a workspace all that commands have put beside one, and the folder when it has no records
	 * either. A new session that makes its folders meanwhile keeps them, because only other names are removed.
	 */
	async #tidy(folder: string): Promise<void> {
		const kept = [...recordNames, ...workspaceNames];
		if ((await namesIn(folder)).some((name) => workspaceNames.includes(name))) return;
		for await (const { name, path } of entriesOf(folder)) if (!kept.includes(name)) await this.trash.discard(path);
		// This fails, as intended, when there are records, or something was put into the folder meanwhile.
		await rmdir(folder).catch(() => {});
	}

	#path(sessionId: string): string {
		return join(this.#root, sessionName(sessionId));
	}
}

/** A workspace may be a link to a folder of the host; if that is gone, the agent says so. */
async function makeFolder(path: string): Promise<void> {
	await mkdir(path, { recursive: true, mode: 0o700 }).catch(async (error: unknown) => {
		const found = await lstat(path).catch(() => undefined);
		if (!found?.isSymbolicLink()) throw error;
	});
}
