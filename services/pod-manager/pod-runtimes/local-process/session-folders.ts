/**
 * The folders of a session that outlive its pods: `sessions/<session id>/workspace`, `state` with the agent's own
 * records, and `agent.log`, the output of an agent that died without a status.
 */
import { lstat, mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { isSessionId, sessionName } from "./launch.ts";
import { Trash } from "./trash.ts";

/** The folders of one installation's sessions. */
export class SessionFolders {
	readonly #root: string;
	readonly #trash: Trash;

	constructor(root: string) {
		this.#root = root;
		this.#trash = new Trash(join(root, ".trash"));
	}

	async create(sessionId: string): Promise<{ workspace: string; state: string }> {
		const folder = this.#path(sessionId);
		const folders = { workspace: join(folder, "workspace"), state: join(folder, "state") };
		for (const path of Object.values(folders)) await makeFolder(path);
		return folders;
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
		const names = await readdir(this.#root).catch((error: unknown) => {
			if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
			throw error;
		});
		return names.filter(isSessionId);
	}

	async discard(sessionId: string): Promise<void> {
		return this.#trash.discard(this.#path(sessionId));
	}

	/** Finishes removals that an earlier process began. */
	emptyTrash(signal: AbortSignal): Promise<void> {
		return this.#trash.empty(signal);
	}

	/** A sentence about folders that cannot be removed; undefined when there are none. */
	get trashTrouble(): string | undefined {
		return this.#trash.trouble;
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
