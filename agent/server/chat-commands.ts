/** Reads the frames of the chat's clients (contract, behaviour 6.4). Pure. */
import { type PermissionBehavior, permissionBehaviors } from "#shared/contracts/sessions/session-control.ts";
import { type PermissionMode, permissionModes } from "#shared/contracts/sessions/session-resource.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf, parseJsonObject, textOf } from "#shared/base/schema/parsed-json.ts";

export type ChatCommand =
	| { type: "user"; id: string | undefined; content: string }
	| {
			type: "permission_response";
			request_id: string;
			/** It is undefined when an option is named. */
			behavior: PermissionBehavior | undefined;
			option_id: string | undefined;
			/** It is undefined when the input is unchanged, which clients also express by an empty one. */
			input: JsonObject | undefined;
	  }
	| { type: "interrupt" }
	| { type: "set_model"; model: string }
	| { type: "set_mode"; mode: string }
	| { type: "set_permission_mode"; mode: PermissionMode };

/** A frame is invalid; the sentence says why. */
export class FrameError extends Error {
	override readonly name = "FrameError";
}

const maxIdLength = 100;
const maxNameLength = 200;
/** A frame with more lines is refused. */
const maxLines = 64;

const noObject = "A frame must be a JSON object";

/** Reads a text frame with one JSON object, or with one per line. @throws {FrameError} */
export function splitFrame(text: string): JsonObject[] {
	const whole = parseJsonObject(text);
	if (whole) return [whole];
	const lines = text.split("\n", maxLines + 1).filter((line) => line.trim() !== "");
	if (lines.length > maxLines) throw new FrameError(`A frame may have ${maxLines} lines`);
	const read = lines.map(parseJsonObject).filter((frame) => frame !== undefined);
	if (read.length === 0 || read.length < lines.length) throw new FrameError(noObject);
	return read;
}

/**
 * Returns undefined for a frame of an unknown type without content, which is ignored. A frame with content is a message,
 * whatever its type (contract, behaviour 6.4). @throws {FrameError}
 */
export function readCommand(frame: JsonObject): ChatCommand | undefined {
	return readers[typeOf(frame)]?.(frame);
}

/** Returns the type that the frame has or counts as; `other` when it has no meaning. */
export function typeOf({ type = "user", content }: JsonObject): string {
	if (typeof type === "string" && Object.hasOwn(readers, type)) return type;
	return content === undefined ? "other" : "user";
}

const readers: Readonly<Record<string, (frame: JsonObject) => ChatCommand>> = {
	user: ({ id, content }) => ({ type: "user", id: readId(id), content: readContent(content) }),
	permission_response: readResponse,
	interrupt: () => ({ type: "interrupt" }),
	set_model: ({ model }) => ({ type: "set_model", model: readName(model, "`set_model` needs the name of a model") }),
	set_mode: ({ mode }) => ({ type: "set_mode", mode: readName(mode, "`set_mode` needs the id of a mode") }),
	set_permission_mode: ({ mode }) => {
		const known = permissionModes.find((name) => name === mode);
		if (!known) throw new FrameError(`There are the permission modes ${permissionModes.join(" and ")}`);
		return { type: "set_permission_mode", mode: known };
	},
	set_max_thinking_tokens: () => unsupported("The length of the agent's thoughts cannot be set"),
	rewind_files: () => unsupported("Files cannot be rewound; the diff shows what has changed"),
	mcp_set_servers: () =>
		unsupported("MCP servers are part of a session's template and cannot be changed while it runs"),
};

function unsupported(sentence: string): never {
	throw new FrameError(sentence);
}

function readName(value: unknown, sentence: string): string {
	const name = textOf(value);
	if (name === undefined || name.length > maxNameLength) throw new FrameError(sentence);
	return name;
}

function readId(id: unknown): string | undefined {
	if (id === undefined || id === null) return undefined;
	if (typeof id === "string" && id !== "" && id.length <= maxIdLength) return id;
	throw new FrameError(`The id of a message has 1 to ${maxIdLength} characters`);
}

/** Reads text, or blocks of text. @throws {FrameError} for a block of another kind, so that none is lost silently. */
function readContent(content: unknown): string {
	const other = objectsOf(content).find(({ type }) => type !== "text");
	if (other)
		throw new FrameError(`The agent takes text; a block of type "${String(other["type"]).slice(0, 40)}" is not`);
	const text =
		typeof content === "string"
			? content
			: objectsOf(content)
					.map(({ text }) => textOf(text) ?? "")
					.join("\n");
	if (text.trim() === "") throw new FrameError("A message needs content");
	return text;
}

function readResponse({ request_id, behavior, updated_input, ...answer }: JsonObject): ChatCommand {
	const id = textOf(request_id);
	const option_id = textOf(answer["option_id"]);
	const known = permissionBehaviors.find((name) => name === behavior);
	if (id === undefined) throw new FrameError("`permission_response` needs a `request_id`");
	if (!known && option_id === undefined)
		throw new FrameError(`\`behavior\` is one of ${permissionBehaviors.join(", ")}`);
	const isFilled = isJsonObject(updated_input) && Object.keys(updated_input).length > 0;
	const input = isFilled ? updated_input : undefined;
	return { type: "permission_response", request_id: id, behavior: known, option_id, input };
}
