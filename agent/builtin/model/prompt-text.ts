/** Joins the blocks of a prompt into one text for the model. Pure. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, textOf } from "#shared/base/schema/parsed-json.ts";

/** @throws {Error} when no block is one that the agent can read. */
export function promptText(blocks: readonly JsonObject[]): string {
	const texts = blocks.map(blockText).filter((text) => text !== "");
	if (texts.length === 0) throw new Error("The message holds no text");
	return texts.join("\n\n");
}

function blockText({ type, text, name, uri, resource }: JsonObject): string {
	if (type === "text") return textOf(text) ?? "";
	if (type === "resource_link") return `[${textOf(name) ?? "resource"}](${String(uri)})`;
	if (type !== "resource" || !isJsonObject(resource)) return `(${String(type)}, which this agent cannot read)`;
	const content = textOf(resource["text"]);
	return `<resource uri="${String(resource["uri"])}">\n${content ?? "(not text)"}\n</resource>`;
}
