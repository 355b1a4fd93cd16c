/**
 * Finds files of sessions that belong to another user than the platform's, as those of sessions that ran in containers do. A platform
 * that is root takes them; another one cannot use them, and says who can change that.
 */
import { lstat } from "node:fs/promises";
import { PodRefused } from "../../pod-refused.ts";
import { entriesOf, unlessMissing } from "../machine/folder-entries.ts";
import { giveEntry } from "../machine/given-entry.ts";
import type { SessionFolders } from "../machine/session-folders.ts";

const help = "docs/session-containers.md#another-runtime";

/** The user and group of a process. */
interface ProcessUser {
	readonly user: number;
	readonly group: number;
}

/** Returns the user of this process. */
function ownUser(): ProcessUser {
	return { user: process.geteuid?.() ?? 0, group: process.getegid?.() ?? 0 };
}

export class ForeignFolders {
	readonly #root: string;
	readonly #sessions: SessionFolders;
	readonly #own: ProcessUser;

	/** @param root The folder above those of all sessions. */
	constructor(root: string, sessions: SessionFolders, own: ProcessUser = ownUser()) {
		this.#root = root;
		this.#sessions = sessions;
		this.#own = own;
	}

	/** Returns the sentence of a start for the operator; undefined when nothing belongs to others, or this process can take it. */
	async sentence(): Promise<string | undefined> {
		const { user, group } = this.#own;
		if (user === 0) return undefined;
		const owner = await this.#firstOwner();
		if (owner === undefined) return undefined;
		return (
			`Files of sessions belong to the user ${owner}, as those of sessions in containers do, and the platform's user ${user} cannot use them: ` +
			`these sessions do not start before root has run "chown -R ${user}:${group} ${this.#root}" (${help})`
		);
	}

	/** Takes the files of a session or a workspace where this process is root. @throws {PodRefused} where it is not. */
	async take(id: string): Promise<void> {
		const { user, group } = this.#own;
		for await (const entry of entriesOf(this.#sessions.whole(id))) {
			const owner = await ownerOf(entry.path);
			if (owner === undefined || owner === user) continue;
			if (user !== 0) throw refusal(owner, `${user}:${group}`);
			await giveEntry(entry, this.#own);
		}
	}

	async #firstOwner(): Promise<number | undefined> {
		for (const id of await this.#sessions.list())
			for await (const { path } of entriesOf(this.#sessions.whole(id))) {
				const owner = await ownerOf(path);
				if (owner !== undefined && owner !== this.#own.user) return owner;
			}
		return undefined;
	}
}

async function ownerOf(path: Buffer): Promise<number | undefined> {
	return (await lstat(path).catch(unlessMissing))?.uid;
}

/** People read it, so it has no path of this machine. */
function refusal(owner: number, own: string): PodRefused {
	const words =
		`they belong to the user ${owner}, as those of sessions in containers do. The operator runs as root "chown -R ${own}" ` +
		"with the folder sessions of the data folder, which the log of the platform names";
	return new PodRefused("VOLUME_MOUNT_FAILED", words, { final: true });
}
