/** The words of the API page that belong to no single operation: the introduction, and the groups in order of use. */
import type { AnyAction } from "#shared/contracts/contract.ts";

/** The groups of operations in the order in which people come to need them, each with what it is for. */
const groups: Readonly<Record<string, string>> = {
	sessions:
		"Start here: a session is a coding agent with a workspace. Create it, send it messages, read the conversation and the diff.",
	stream: "The live stream of events: what changes is told at once.",
	"session-control": "Interrupt an answer, and allow or deny what the agent asks for.",
	models: "The models that sessions may use, with prices.",
	agents: "The coding agents, with what each of them needs.",
	repositories: "Git providers, repositories and branches.",
	pulls: "Push the work of a session and open, read and merge pull requests.",
	workspaces: "The files of sessions, which stay when a session is stopped or archived.",
	chronicles: "What happened in a session: its summary and its timeline.",
	templates: "Sessions that the operator has prepared: repositories, setup scripts and variables.",
	presets: "Settings that you save for sessions: agent, model, prompt, setup scripts.",
	profiles: "Settings of the place where a session runs: resources, variables, MCP servers.",
	prompts: "Saved texts with placeholders.",
	credentials: "Secrets that sessions get by name: tokens, keys, git credentials.",
	secrets: "Secrets with several values.",
	integrations: "Connections to other services by a credential or a login.",
	oauth: "Logins at the providers of integrations.",
	tokens: "Personal access tokens for scripts and clients.",
	budgets: "Limits of cost, and what is spent today.",
	usage: "Reported tokens, and the statistics of the caller.",
	tracker: "The issue tracker of the caller.",
	issues: "Issues of all trackers of the caller.",
	mappings: "Which project of a tracker belongs to which repository.",
	confidence: "How safe a merge is.",
	"mcp-servers": "MCP servers of the configuration.",
	resources: "Resources that sessions may ask for.",
	features: "Modules of clients, and the caller's layout.",
	settings: "Switches of the server, and the settings of the tenant.",
	users: "The caller, and the users of the tenant.",
	tenants: "Tenants and their members.",
	identity: "What a client needs for a login.",
	audit: "Who did what.",
	"session-events": "Raw events of sessions.",
	history: "Reports of session pods; people do not need them.",
	webhooks: "Messages of git providers.",
};

/** Returns the group of an action: the service that answers it. */
export function groupOf({ name }: Pick<AnyAction, "name">): string {
	return name.slice(0, name.lastIndexOf("."));
}

/** Returns the used groups as the document's tags; a group that is not described here comes last. */
export function tagsOf(used: readonly string[]): { name: string; description?: string }[] {
	const known = Object.entries(groups).filter(([name]) => used.includes(name));
	const others = [...new Set(used)].filter((name) => !Object.hasOwn(groups, name));
	return [...known.map(([name, description]) => ({ name, description })), ...others.map((name) => ({ name }))];
}

/** Returns the introduction, in Markdown. @param prefix The path of the API, e.g. `/api/v1/svc`. */
export function introduction(prefix: string): string {
	return `Self-hosted sessions of AI coding agents. Five steps to the first one; open an operation below and press *Execute*:

1. \`POST ${prefix}/sessions\` creates a session; the example starts one with an empty workspace. For a repository add \`"source": {"type": "git", "repo": "https://…"}\`.
2. \`GET ${prefix}/sessions/{session_id}\` until \`status\` is \`running\`; \`status_reason\` says why it is not.
3. \`POST ${prefix}/sessions/{session_id}/messages\` with \`{"content": "$ ls"}\` runs a command, and any other text asks the agent.
4. \`GET ${prefix}/sessions/{session_id}/conversation\` has the answer, and \`GET …/diff\` the changes.
5. \`POST ${prefix}/sessions/{session_id}/stop\` ends it and keeps its files.

The API is that of version 0.69.1 of the contract, with additions.

A request with a member or a query parameter that is unknown succeeds and says so in the header \`Atelier-Warnings\`.

The documents are in the folder \`docs\` of the project: \`first-session.md\` (the first session), \`configuration.md\` (keys), \`chat.md\` (the WebSocket),
\`session-life.md\` (states), \`security.md\`. The whole description for programs: [/openapi.json](/openapi.json).`;
}
