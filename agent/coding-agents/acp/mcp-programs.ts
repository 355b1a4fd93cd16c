/** Finds the programs of MCP servers, because most agents keep silent about one that they cannot start. */
import { delimiter, resolve } from "node:path";
import { programIn } from "#shared/base/files/program-in-folders.ts";
import type { McpServer } from "#shared/wire/pod/launch.ts";

/** The folder and the PATH with which an agent starts servers. */
interface StartPlace {
	readonly folder: string;
	readonly path: string;
}

/** Divides servers by whether their program is there; `missing` has a sentence about each that is left out. */
export async function programsFound(
	servers: readonly McpServer[],
	place: StartPlace,
): Promise<{ found: McpServer[]; missing: string[] }> {
	const known = await Promise.all(servers.map((server) => hasProgram(server, place)));
	return {
		found: servers.filter((_server, index) => known[index]),
		missing: servers.filter((_server, index) => !known[index]).map(missingProgram),
	};
}

async function hasProgram({ type, command, env }: McpServer, { folder, path }: StartPlace): Promise<boolean> {
	if (type === "http") return true;
	const folders = command.includes("/") ? [folder] : (env["PATH"] ?? path).split(delimiter);
	const program = await programIn(
		folders.map((one) => resolve(folder, one)),
		command,
	);
	return program !== undefined;
}

function missingProgram({ name, command }: McpServer): string {
	return `The MCP server "${name}" is left out: the session has no program "${command}"; correct its command, or install the program`;
}
