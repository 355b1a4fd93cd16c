/** Which conversation of its own a coding agent had open last, in the session's state, so that it can go on with it. */
import { replaceFile } from "#shared/files/replaced-file.ts";
import { readUntrusted } from "#shared/files/untrusted-file.ts";
import { parseJsonObject, textOf } from "../io/json-object.ts";

/** Of the file: a path and an id. */
const maxBytes = 16_384;

export class SavedSession {
	readonly #file: string;
	readonly #agent: string;

	/** @param agent Id of its record: nobody can go on with another one's conversation. */
	constructor(file: string, agent: string) {
		this.#file = file;
		this.#agent = agent;
	}

	/** The agent's own id of it, if there is one in this folder. */
	async read(folder: string): Promise<string | undefined> {
		const text = await readUntrusted(this.#file, maxBytes).catch(() => undefined);
		const { agent, folder: its, id } = parseJsonObject(text?.toString("utf8") ?? "") ?? {};
		return agent === this.#agent && its === folder ? textOf(id) : undefined;
	}

	write(folder: string, id: string): Promise<void> {
		return replaceFile(this.#file, JSON.stringify({ agent: this.#agent, folder, id }));
	}
}
