/** An agent's own modes, in which it asks for more or for less. They have requests of their own, and are options with newer agents. Pure. */
import { type JsonObject, objectsOf } from "../../io/json-object.ts";

export interface ModeChoices {
	/** As it offered them when the conversation was opened. */
	readonly modes: JsonObject;
	readonly choices: readonly JsonObject[];
}

/** Method and parameters, but for the session's id; undefined when it has no such mode. */
export function modeRequest(
	mode: string,
	{ modes, choices }: ModeChoices,
): [method: string, params: object] | undefined {
	if (objectsOf(modes["availableModes"]).some(({ id }) => id === mode)) return ["session/set_mode", { modeId: mode }];
	const option = choices.find(({ category, type }) => category === "mode" && type === "select");
	if (!option || !objectsOf(option["options"]).some(({ value }) => value === mode)) return undefined;
	return ["session/set_config_option", { configId: option["id"], value: mode }];
}
