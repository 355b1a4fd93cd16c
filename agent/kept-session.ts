/** Which conversation of its own a coding agent had open last, in the session's state, so that it can go on with it. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { parseJsonObject, textOf } from "./json-object.ts";

export class KeptSession {
	readonly #file: string;
	readonly #agent: string;

	/** @param agent Id of its record: nobody can go on with another one's conversation. */
	constructor(file: string, agent: string) {
		this.#file = file;
		this.#agent = agent;
	}

	/** The agent's own id of it, if there is one in this folder. */
	async read(folder: string): Promise<string | undefined> {
		const text = await readFile(this.#file, "utf8").catch(() => "");
		const { agent, folder: its, id } = parseJsonObject(text) ?? {};
		return agent === this.#agent && its === folder ? textOf(id) : undefined;
	}

	async write(folder: string, id: string): Promise<void> {
		const next = `${this.#file}.next`;
		await writeFile(next, JSON.stringify({ agent: this.#agent, folder, id }), { mode: 0o600 });
		await rename(next, this.#file);
	}
}
