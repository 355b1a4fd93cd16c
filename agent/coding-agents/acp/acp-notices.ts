/** Reads what an agent of the Agent Client Protocol reports beside its answers, within bounds. Pure. */
import type { AgentNotice } from "../coding-agent.ts";
import { isCount, type JsonObject, objectsOf, textOf } from "#shared/base/schema/parsed-json.ts";

const maxCommands = 500;
const maxName = 100;
const maxDescription = 500;
const maxWarning = 500;

/** Returns undefined for an update that is part of an answer, or of an unknown kind. */
export function readNotice(update: JsonObject): AgentNotice | undefined {
	switch (update["sessionUpdate"]) {
		case "available_commands_update":
			return {
				type: "commands",
				commands: objectsOf(update["availableCommands"]).flatMap(readCommand).slice(0, maxCommands),
			};
		case "notice":
			return readWarning(update);
		case "usage_update":
			return readContext(update);
		default:
			return undefined;
	}
}

function readCommand({ name, description }: JsonObject): { name: string; description: string }[] {
	const read = textOf(name);
	if (read === undefined || read.length > maxName) return [];
	return [{ name: read, description: (textOf(description) ?? "").slice(0, maxDescription) }];
}

/** Returns a warning; undefined for a notice that says only what happened. */
function readWarning({ severity, title, description }: JsonObject): AgentNotice | undefined {
	const said = [title, description].map(textOf).filter((text) => text !== undefined && text !== "");
	if ((severity !== "warning" && severity !== "error") || said.length === 0) return undefined;
	return { type: "warning", sentence: said.join(": ").slice(0, maxWarning) };
}

function readContext({ used, size }: JsonObject): AgentNotice | undefined {
	return isCount(used) && isCount(size) ? { type: "context", used, size } : undefined;
}
