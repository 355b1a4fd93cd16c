/** The file in the session's state that names the agent's own last conversation, so that the agent can continue it. */
import { replaceFile } from "#shared/base/files/replaced-file.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import { parseJsonObject, textOf } from "#shared/base/schema/parsed-json.ts";

/** The bound on the file, which holds a path and an id. */
const maxBytes = 16_384;

export class SavedSession {
	readonly #file: string;
	readonly #agent: string;

	/** @param agent The id of the agent's record: an agent cannot continue the conversation of another one. */
	constructor(file: string, agent: string) {
		this.#file = file;
		this.#agent = agent;
	}

	/** Returns the agent's own id of its conversation, if there is one in this folder. */
	async read(folder: string): Promise<string | undefined> {
		const text = await readUntrusted(this.#file, maxBytes).catch(() => undefined);
		const { agent, folder: its, id } = parseJsonObject(text?.toString("utf8") ?? "") ?? {};
		return agent === this.#agent && its === folder ? textOf(id) : undefined;
	}

	write(folder: string, id: string): Promise<void> {
		return replaceFile(this.#file, JSON.stringify({ agent: this.#agent, folder, id }));
	}
}
