/** Names and results of MCP tools in the form a model takes. Pure. */
import { createHash } from "node:crypto";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf, textOf } from "#shared/base/schema/parsed-json.ts";

const maxNameLength = 64;
const hashLength = 8;

/** The name is `<server>__<tool>`, in the characters that providers allow, at most 64. */
export function mcpToolName(server: string, tool: string): string {
	const name = `${server}__${tool}`;
	const plain = name.replaceAll(/[^\w-]/g, "_");
	if (plain === name && name.length <= maxNameLength) return name;
	const hash = createHash("sha256").update(name).digest("hex").slice(0, hashLength);
	return `${plain.slice(0, maxNameLength - hashLength - 1)}_${hash}`;
}

/** The text of a result; content of another kind is replaced by its kind. */
export function mcpText(result: JsonObject): string {
	const texts = objectsOf(result["content"]).map(itemText);
	if (texts.length > 0) return texts.join("\n");
	return "structuredContent" in result ? JSON.stringify(result["structuredContent"]) : "(No output)";
}

function itemText({ type, text, mimeType, uri, resource }: JsonObject): string {
	if (type === "text") return textOf(text) ?? "";
	if (type === "resource_link") return String(uri);
	if (isJsonObject(resource)) return textOf(resource["text"]) ?? `(${String(resource["uri"])})`;
	return `(${String(type)}${textOf(mimeType) ? `, ${textOf(mimeType)}` : ""}; not shown to the model)`;
}
