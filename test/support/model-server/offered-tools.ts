/**
 * Finds the tool for a purpose among the offered ones, whatever the agent calls it, and its arguments. The names were
 * seen in opencode, Claude, Codex, Gemini, Qwen, Kimi, Cline, Copilot and the built-in agent.
 */
import { type Json, jsonOf, type OfferedTool, type ToolCall, toolSearch } from "./model-request.ts";
import { objectOf, typeOf } from "./schema-instance.ts";

const pathNames = ["file_path", "filePath", "path", "absolute_path", "target_file", "filename"];
const contentNames = ["content", "contents", "file_text", "text"];
/** Codex's tool for models that it knows. */
const patchTool = "apply_patch";
const commandNames = ["command", "cmd", "commands", "script"];

/** Returns the call that writes a file. @throws {Error} naming the offered tools when none fits. */
export function writeFile(tools: readonly OfferedTool[], path: string, content: string): ToolCall {
	for (const { name, schema } of preferred(tools, /write|create/i)) {
		const pathName = member(schema, pathNames);
		const contentName = member(schema, contentNames);
		if (!schema || !pathName || !contentName || isReader(name)) continue;
		const mode = editorMode(schema);
		return { name, args: objectOf(schema, { [pathName]: path, [contentName]: content, ...mode }) };
	}
	if (tools.some(({ name, schema }) => name === patchTool && !schema)) return addByPatch(path, content);
	// An agent without such a tool edits by shell commands.
	return runCommand(tools, `printf %s ${shellQuoted(content)} > ${shellQuoted(path)}`);
}

/** Returns the call that runs a command. @throws {Error} naming the offered tools when none fits. */
export function runCommand(tools: readonly OfferedTool[], command: string): ToolCall {
	for (const { name, schema } of preferred(tools, /bash|shell|exec|command|terminal/i)) {
		const commandName = member(schema, commandNames);
		if (!schema || !commandName || !/bash|shell|exec|command|terminal|run/i.test(name)) continue;
		const given = { [commandName]: commandValue(schema, commandName, command), ...beyondSandbox(schema) };
		return { name, args: objectOf(schema, given) };
	}
	throw new Error(`No tool runs a command; offered: ${namesOf(tools)}`);
}

/**
 * Returns the call of a named tool, or of the search for tools when only that is offered.
 * @param name A part of the tool's name with its namespace, e.g. of an MCP tool. @throws {Error}
 */
export function callNamed(tools: readonly OfferedTool[], name: string | RegExp, args: Json): ToolCall {
	const fits = (tool: OfferedTool): boolean =>
		typeof name === "string" ? fullName(tool).includes(name) : name.test(fullName(tool));
	const found = tools.find((tool) => tool.name === name) ?? tools.find(fits);
	if (found) return { name: found.name, namespace: found.namespace, args: objectOf(found.schema ?? {}, args) };
	const search = tools.find((tool) => tool.name === toolSearch);
	if (!search) throw new Error(`No tool "${String(name)}"; offered: ${namesOf(tools)}`);
	const query = (typeof name === "string" ? name : name.source).replaceAll(/\W+/g, " ");
	return { name: search.name, args: objectOf(search.schema ?? {}, { query }) };
}

function fullName({ namespace, name }: OfferedTool): string {
	return namespace === undefined ? name : `${namespace}__${name}`;
}

/** Returns the tools, those with a matching name first. */
function preferred(tools: readonly OfferedTool[], name: RegExp): OfferedTool[] {
	return [...tools.filter((tool) => name.test(tool.name)), ...tools.filter((tool) => !name.test(tool.name))];
}

function member(schema: Json | undefined, names: readonly string[]): string | undefined {
	const properties = jsonOf(schema?.["properties"]);
	return names.find((name) => name in properties);
}

/** Returns the arguments of an editor tool with several commands, of which `create` writes a file. */
function editorMode(schema: Json): Json {
	const { command } = jsonOf(schema["properties"]);
	const values: unknown = jsonOf(command)["enum"];
	return Array.isArray(values) && values.includes("create") ? { command: "create" } : {};
}

/**
 * Returns the arguments that request a command outside of the sandbox; inside, it could write nothing, and nobody would
 * be asked.
 */
function beyondSandbox(schema: Json): Json {
	if (!("sandbox_permissions" in jsonOf(schema["properties"]))) return {};
	return { sandbox_permissions: "require_escalated", justification: "May this command be run?" };
}

function addByPatch(path: string, content: string): ToolCall {
	const lines = content.replace(/\n$/, "").split("\n");
	const added = lines.map((line) => `+${line}`).join("\n");
	return { name: patchTool, args: `*** Begin Patch\n*** Add File: ${path}\n${added}\n*** End Patch\n` };
}

function isReader(name: string): boolean {
	return /read|search|grep|glob|memory|todo/i.test(name);
}

/** Returns the command as one text or as a list: of a program and its arguments, or of command lines. */
function commandValue(schema: Json, name: string, command: string): unknown {
	if (typeOf(jsonOf(jsonOf(schema["properties"])[name])) !== "array") return command;
	return name === "commands" ? [command] : ["bash", "-lc", command];
}

function shellQuoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

function namesOf(tools: readonly OfferedTool[]): string {
	return tools.map(fullName).join(", ") || "none";
}
