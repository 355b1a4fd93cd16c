/** Reads what a permission request asks for, within bounds, so that a person sees it before it happens. Pure. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf, textOf } from "#shared/base/schema/parsed-json.ts";
import type { WantedPermission } from "../permissions.ts";

const maxTitle = 200;
const maxName = 100;
const maxOptions = 32;
/** The bound on one text of the input, in characters. */
const maxText = 4_000;
/** The bound on the whole input, in bytes of JSON: 32 open requests fit one answer. */
const maxInput = 16_384;

export function readPermission(call: JsonObject, offered: unknown): WantedPermission {
	const options = objectsOf(offered).slice(0, maxOptions).flatMap(readOption);
	return {
		tool: (textOf(call["kind"]) ?? "other").slice(0, maxName),
		title: (textOf(call["title"]) ?? "a tool call").slice(0, maxTitle),
		input: bounded(inputOf(call)),
		options,
		choice: options.filter(({ kind }) => kind === "allow_once").length > 1 || asksPerson(call["rawInput"]),
	};
}

/** Whether the tool asks a person: agents name the questions in the same way, and some offer one button to send the answers. */
function asksPerson(input: unknown): boolean {
	return isJsonObject(input) && objectsOf(input["questions"]).some(({ question }) => typeof question === "string");
}

/** When the agent reports no input, the changes and texts that it shows take its place. */
function inputOf({ rawInput, content }: JsonObject): JsonObject {
	if (isJsonObject(rawInput) && Object.keys(rawInput).length > 0) return rawInput;
	const items = objectsOf(content);
	const changes = items
		.filter(({ type }) => type === "diff")
		.map(({ path, oldText, newText }) => ({ path, old_text: oldText ?? "", new_text: newText }));
	const texts = items.flatMap((item) => (isJsonObject(item["content"]) ? (textOf(item["content"]["text"]) ?? []) : []));
	return { ...(changes.length > 0 && { changes }), ...(texts.length > 0 && { content: texts.join("\n") }) };
}

/** An option without an id cannot be chosen, so it is ignored. */
function readOption({ optionId, name, kind }: JsonObject): WantedPermission["options"] {
	if (typeof optionId !== "string" || optionId === "" || optionId.length > maxName) return [];
	return [{ option_id: optionId, name: (textOf(name) ?? optionId).slice(0, maxName), kind: textOf(kind) ?? "" }];
}

function bounded(input: JsonObject): Record<string, unknown> {
	const text = JSON.stringify(input, (_, value: unknown) => (typeof value === "string" ? shortened(value) : value));
	return Buffer.byteLength(text) <= maxInput
		? (JSON.parse(text) as Record<string, unknown>)
		: { shortened: shortened(text) };
}

function shortened(text: string): string {
	return text.length <= maxText ? text : `${text.slice(0, maxText)}… (${text.length} characters)`;
}
