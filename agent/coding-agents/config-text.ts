/** Writes settings as the text of a configuration file. Pure. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";

export type ConfigFormat = "json" | "toml";

/** @throws {TypeError} for a value that the format cannot express. */
export function configText(format: ConfigFormat, content: unknown): string {
	if (format === "json") return `${JSON.stringify(content, undefined, "\t")}\n`;
	if (!isJsonObject(content)) throw new TypeError("A TOML file holds a map");
	return table(content, []);
}

/** Plain members come before the tables, as TOML requires. */
function table(content: JsonObject, path: readonly string[]): string {
	const members = Object.entries(content);
	const plain = members.filter(([, value]) => !isJsonObject(value));
	const tables = members.filter(([, value]) => isJsonObject(value));
	const head = path.length > 0 && plain.length > 0 ? `[${path.map(key).join(".")}]\n` : "";
	const lines = plain.map(([name, value]) => `${key(name)} = ${literal(value)}\n`).join("");
	return head + lines + tables.map(([name, value]) => table(value as JsonObject, [...path, name])).join("");
}

function key(name: string): string {
	return /^[\w-]+$/.test(name) ? name : literal(name);
}

/** A JSON string is also a TOML string, with the exception of one character. */
function literal(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
	if (typeof value === "string") return JSON.stringify(value).replaceAll("\u007f", "\\u007F");
	if (typeof value === "boolean" || Number.isFinite(value)) return String(value);
	throw new TypeError(`TOML cannot say ${JSON.stringify(value)}`);
}
