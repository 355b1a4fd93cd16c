/** What outlives the pods of a session: `sessions/<session id>/workspace`, and `state` with the agent's own records. */
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isSessionId, sessionName } from "./launch.ts";
import { Trash } from "./trash.ts";

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
		for (const path of Object.values(folders)) await mkdir(path, { recursive: true, mode: 0o700 });
		return folders;
	}

	/** What the session's agent has locked (agent/session-lock.ts). */
	lock(sessionId: string): string {
		return join(this.#path(sessionId), "state", "lock");
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

	/** Finishes what an earlier process began to remove. */
	emptyTrash(): Promise<void> {
		return this.#trash.empty();
	}

	#path(sessionId: string): string {
		return join(this.#root, sessionName(sessionId));
	}
}
