/**
 * Finds among the tools a request offers the one for a purpose, whatever the agent calls it, and its arguments.
 * The names were seen in opencode, Claude, Codex, Gemini, Qwen, Kimi, Cline, Copilot and the built-in agent.
 */
import { type Json, jsonOf, type OfferedTool, type ToolCall } from "./model-request.ts";
import { objectOf, typeOf } from "./schema-instance.ts";

const pathNames = ["file_path", "filePath", "path", "absolute_path", "target_file", "filename"];
const contentNames = ["content", "contents", "file_text", "text"];
const commandNames = ["command", "cmd", "commands", "script"];

/** @throws {Error} naming what is offered, when nothing fits. */
export function writeFile(tools: readonly OfferedTool[], path: string, content: string): ToolCall {
	for (const { name, schema } of preferred(tools, /write|create/i)) {
		const pathName = member(schema, pathNames);
		const contentName = member(schema, contentNames);
		if (!schema || !pathName || !contentName || isReader(name)) continue;
		const mode = editorMode(schema);
		return { name, args: objectOf(schema, { [pathName]: path, [contentName]: content, ...mode }) };
	}
	// An agent without such a tool edits by shell.
	return runCommand(tools, `printf %s ${shellQuoted(content)} > ${shellQuoted(path)}`);
}

/** @throws {Error} naming what is offered, when nothing fits. */
export function runCommand(tools: readonly OfferedTool[], command: string): ToolCall {
	for (const { name, schema } of preferred(tools, /bash|shell|exec|command|terminal/i)) {
		const commandName = member(schema, commandNames);
		if (!schema || !commandName || !/bash|shell|exec|command|terminal|run/i.test(name)) continue;
		return { name, args: objectOf(schema, { [commandName]: commandValue(schema, commandName, command) }) };
	}
	throw new Error(`No tool runs a command; offered: ${namesOf(tools)}`);
}

/** @param name Part of the tool's name, e.g. that of an MCP tool. @throws {Error} */
export function callNamed(tools: readonly OfferedTool[], name: string | RegExp, args: Json): ToolCall {
	const fits = (tool: OfferedTool): boolean =>
		typeof name === "string" ? tool.name.includes(name) : name.test(tool.name);
	const found = tools.find((tool) => tool.name === name) ?? tools.find(fits);
	if (!found) throw new Error(`No tool "${String(name)}"; offered: ${namesOf(tools)}`);
	return { name: found.name, args: objectOf(found.schema ?? {}, args) };
}

/** Those whose name fits come first. */
function preferred(tools: readonly OfferedTool[], name: RegExp): OfferedTool[] {
	return [...tools.filter((tool) => name.test(tool.name)), ...tools.filter((tool) => !name.test(tool.name))];
}

function member(schema: Json | undefined, names: readonly string[]): string | undefined {
	const properties = jsonOf(schema?.["properties"]);
	return names.find((name) => name in properties);
}

/** A tool with several commands in one, of which `create` writes a file. */
function editorMode(schema: Json): Json {
	const { command } = jsonOf(schema["properties"]);
	const values: unknown = jsonOf(command)["enum"];
	return Array.isArray(values) && values.includes("create") ? { command: "create" } : {};
}

function isReader(name: string): boolean {
	return /read|search|grep|glob|memory|todo/i.test(name);
}

/** One text, or a list: of a program and its arguments, or of command lines. */
function commandValue(schema: Json, name: string, command: string): unknown {
	if (typeOf(jsonOf(jsonOf(schema["properties"])[name])) !== "array") return command;
	return name === "commands" ? [command] : ["bash", "-lc", command];
}

function shellQuoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

function namesOf(tools: readonly OfferedTool[]): string {
	return tools.map(({ name }) => name).join(", ") || "none";
}
