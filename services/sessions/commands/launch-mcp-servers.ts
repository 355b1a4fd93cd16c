/** Converts the MCP servers of a blueprint to those of a launch. Pure. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import type { McpServer } from "#shared/wire/pod/launch.ts";
import type { LabelledValue } from "./launch-levels/launch-level.ts";

const text = { type: "string", max: 10_000, default: "" } as const;
const texts = { type: "record", key: { type: "string" }, value: { type: "string", max: 10_000 }, default: {} } as const;

const fields = schema({
	name: { type: "string", min: 1, max: 100 },
	type: { ...text, description: "`stdio` or `http`; empty: by what else is there" },
	command: text,
	args: { type: "array", max: 200, items: { type: "string", max: 10_000 }, default: [] },
	env: texts,
	url: text,
	headers: texts,
});
type Written = Output<typeof fields>;

const check = compileSchema(fields);

/** The names of the newer HTTP transport in configurations of other programs. */
const httpNames = ["http", "streamable-http", "streamable_http", "streamableHttp"];

/** Returns the servers. @throws {UnprocessableError} naming the blueprint, the server and the mistake. */
export function launchMcpServers(
	servers: LabelledValue<readonly Readonly<Record<string, unknown>>[]> | undefined,
): McpServer[] {
	return (servers?.value ?? []).map((server, index) => {
		const read: unknown = structuredClone(server);
		const [failure] = check(read);
		const problem = failure ? `${failure.path.join(".")}: ${failure.message}` : undefined;
		const written = problem === undefined ? completed(read as Written) : problem;
		if (typeof written !== "string") return written;
		const name = typeof server["name"] === "string" ? `"${server["name"]}"` : index + 1;
		throw new UnprocessableError(`${servers?.label}, MCP server ${name}: ${written}`, "MCP_SERVER");
	});
}

/** Returns the server; a sentence when it lacks what its type needs. */
function completed({ type, ...server }: Written): McpServer | string {
	const kind = type || (server.url === "" ? "stdio" : "http");
	if (kind === "stdio") return server.command === "" ? "`command` is missing" : { ...server, type: "stdio" };
	if (!httpNames.includes(kind)) return `type "${kind}" is not supported; allowed: stdio, http`;
	if (!/^https?:\/\//.test(server.url) || !URL.canParse(server.url)) return "`url` has to be an http or https URL";
	return { ...server, type: "http" };
}
