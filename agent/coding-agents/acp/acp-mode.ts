/**
 * Chooses one of an agent's own modes, in which it asks for more or fewer permissions. Older agents have a request
 * for modes; newer agents have an option. Pure.
 */
import { type JsonObject, objectsOf } from "../../io/json-object.ts";

/** The modes and options that an agent offers. */
export interface ModeChoices {
	/** The modes that were offered when the conversation was opened. */
	readonly modes: JsonObject;
	readonly choices: readonly JsonObject[];
}

/** Returns the method and the parameters without the session's id, or undefined when the agent has no such mode. */
export function modeRequest(
	mode: string,
	{ modes, choices }: ModeChoices,
): [method: string, params: object] | undefined {
	if (objectsOf(modes["availableModes"]).some(({ id }) => id === mode)) return ["session/set_mode", { modeId: mode }];
	const option = choices.find(({ category, type }) => category === "mode" && type === "select");
	if (!option || !objectsOf(option["options"]).some(({ value }) => value === mode)) return undefined;
	return ["session/set_config_option", { configId: option["id"], value: mode }];
}
