/**
 * The agent's own modes, in which it asks for more or fewer permissions, or only plans. Older agents have a request for
 * modes; newer agents have an option. An agent may change its mode by itself, when its model asks for that.
 */
import type { AgentRecord } from "../agent-record.ts";
import type { ModeNotice } from "../coding-agent.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf, textOf } from "#shared/base/schema/parsed-json.ts";

/** The modes and options that an agent offers. */
export interface ModeChoices {
	/** The modes that were offered when the conversation was opened. */
	readonly modes: JsonObject;
	readonly choices: readonly JsonObject[];
}

type ModeHabits = Pick<AgentRecord, "changes_mode" | "mode_outputs">;

const usual: ModeHabits = { changes_mode: true, mode_outputs: {} };

/** Returns the method and the parameters without the session's id, or undefined when the agent has no such mode. */
export function modeRequest(
	mode: string,
	{ modes, choices }: ModeChoices,
): [method: string, params: object] | undefined {
	if (objectsOf(modes["availableModes"]).some(({ id }) => id === mode)) return ["session/set_mode", { modeId: mode }];
	const option = modeOption(choices);
	if (!option || !objectsOf(option["options"]).some(({ value }) => value === mode)) return undefined;
	return ["session/set_config_option", { configId: option["id"], value: mode }];
}

const maxModes = 50;
const maxName = 100;

/** Gemini CLI tells a change of its mode as a text of its answer, which is the whole of a piece. */
const modeText = /^\[MODE_UPDATE\] (\S+)$/;

export class AcpModes {
	readonly #offered: readonly { id: string; name: string }[];
	/** The mode that the session's settings or a person chose. */
	#wanted: string;
	#current: string;
	/** A person has just permitted a change of the mode. */
	#isPermitted = false;
	readonly #told: ModeHabits["mode_outputs"];

	/** @param wanted The mode that was set after the opening; empty when none was. */
	constructor({ modes, choices }: ModeChoices, wanted: string, { changes_mode, mode_outputs }: ModeHabits = usual) {
		const option = modeOption(choices);
		const listed = objectsOf(modes["availableModes"]);
		const options = objectsOf(option?.["options"]).map(({ value, name }) => ({ id: value, name }));
		this.#offered = (listed.length > 0 ? listed : options).flatMap(readMode).slice(0, changes_mode ? maxModes : 0);
		this.#told = mode_outputs;
		const current = textOf(modes["currentModeId"]) ?? textOf(option?.["currentValue"]) ?? "";
		this.#wanted = this.offers(wanted) ? wanted : current;
		this.#current = this.#wanted;
	}

	/** The mode and those that can be chosen; undefined when the agent has no modes. */
	get notice(): ModeNotice | undefined {
		const current = this.#offered.find(({ id }) => id === this.#current);
		return current && { type: "mode", ...current, modes: [...this.#offered] };
	}

	/** The names of the modes for a sentence. */
	get names(): string {
		return this.#offered.map(({ id }) => id).join(", ") || "none";
	}

	/** The mode that the agent has left by itself, and that has to be set again before a turn. */
	get lost(): string | undefined {
		return this.#current === this.#wanted ? undefined : this.#wanted;
	}

	offers(id: string): boolean {
		return this.#offered.some((mode) => mode.id === id);
	}

	/** The next change of the mode is a person's, who has permitted it. */
	permit(): void {
		this.#isPermitted = true;
	}

	chosen(id: string): void {
		this.#wanted = id;
		this.#current = id;
	}

	/** Reads the mode in an update. Returns whether the update tells nothing else. */
	updated(update: JsonObject): boolean {
		const id = this.#modeOf(update);
		if (id === undefined) return false;
		if (this.offers(id)) {
			this.#current = id;
			if (this.#isPermitted) this.#wanted = id;
			this.#isPermitted = false;
		}
		return ["current_mode_update", "agent_message_chunk"].includes(String(update["sessionUpdate"]));
	}

	#modeOf({ sessionUpdate, currentModeId, configOptions, content, status }: JsonObject): string | undefined {
		if (sessionUpdate === "current_mode_update") return textOf(currentModeId);
		if (sessionUpdate === "config_option_update") return textOf(modeOption(objectsOf(configOptions))?.["currentValue"]);
		if (sessionUpdate === "tool_call_update") return status === "completed" ? this.#modeOfTool(content) : undefined;
		return sessionUpdate === "agent_message_chunk" ? this.#modeIn(content) : undefined;
	}

	#modeIn(content: unknown): string | undefined {
		const text = isJsonObject(content) ? (textOf(content["text"]) ?? "") : "";
		const [, id] = modeText.exec(text.trim()) ?? [];
		return id !== undefined && this.offers(id) ? id : undefined;
	}

	#modeOfTool(content: unknown): string | undefined {
		const texts = objectsOf(content).flatMap((item) =>
			isJsonObject(item["content"]) ? (textOf(item["content"]["text"]) ?? []) : [],
		);
		return Object.keys(this.#told).find((id) => texts.some((text) => text.startsWith(this.#told[id] ?? "\n")));
	}
}

function modeOption(choices: readonly JsonObject[]): JsonObject | undefined {
	return choices.find(({ category, type }) => category === "mode" && type === "select");
}

function readMode({ id, name }: JsonObject): { id: string; name: string }[] {
	const read = textOf(id);
	if (read === undefined || read === "" || read.length > maxName) return [];
	return [{ id: read, name: (textOf(name) ?? read).slice(0, maxName) }];
}
