/** Templates as custom resources that a cluster has to refuse, each for one reason. */

export interface BadTemplate {
	readonly what: string;
	readonly spec: object;
	/** The sentence of a rule of the platform; absent: the schema refuses it in the words of the cluster. */
	readonly sentence?: string;
}

const url = "https://git.example/acme/engine";
const long = (length: number) => "a".repeat(length);
const many = (length: number) => Array.from({ length }, (_, index) => `one-${index}`);
const map = (length: number) => Object.fromEntries(many(length).map((name) => [name, "value"]));

export const badTemplates: readonly BadTemplate[] = [
	{ what: "a description that is too long", spec: { description: long(2_001) } },
	{ what: "a description that is a number", spec: { description: 7 } },
	{ what: "too many repositories", spec: { repos: many(11).map((path) => ({ url, path })) } },
	{ what: "a repository without a URL", spec: { repos: [{ branch: "main" }] } },
	{ what: "a repository with an empty URL", spec: { repos: [{ url: "" }] } },
	{ what: "a URL that is too long", spec: { repos: [{ url: `${url}/${long(2_000)}` }] } },
	{ what: "a branch that is too long", spec: { repos: [{ url, branch: long(256) }] } },
	{ what: "a path that is too long", spec: { repos: [{ url, path: long(201) }] } },
	{ what: "too many scripts", spec: { setupScripts: many(21) } },
	{ what: "a script that is too long", spec: { setupScripts: [long(65_537)] } },
	{ what: "scripts that are no list", spec: { setupScripts: "npm ci" } },
	{ what: "a root that is no text", spec: { workspaceLayout: { root: 1 } } },
	{ what: "a default that is a text", spec: { isDefault: "yes" } },
	{ what: "a model that is too long", spec: { model: long(101) } },
	{ what: "a prompt that is too long", spec: { systemPrompt: long(100_001) } },
	{ what: "less than no device", spec: { resourceConfig: { gpu: -1 } } },
	{ what: "half a device", spec: { resourceConfig: { gpu: 0.5 } } },
	{ what: "memory that is a list", spec: { resourceConfig: { memory: ["4Gi"] } } },
	{ what: "a server of tools without a name", spec: { mcpServers: [{ url }] } },
	{ what: "a server of tools with a number as an argument", spec: { mcpServers: [{ name: "one", args: [1] }] } },
	{ what: "too many servers of tools", spec: { mcpServers: many(101).map((name) => ({ name })) } },
	{ what: "too many variables", spec: { envVars: map(101) } },
	{ what: "a variable that is a number", spec: { envVars: { PORT: 8080 } } },
	{ what: "an unknown mode of permissions", spec: { workloadConfig: { permissionMode: "never" } } },
	{ what: "an unknown egress profile", spec: { workloadConfig: { egress: "all" } } },
	{ what: "too many hosts", spec: { workloadConfig: { egress: "restricted", egressHosts: many(101) } } },
	{ what: "an image that is too long", spec: { workloadConfig: { image: long(256) } } },
	{
		what: "a password in a URL",
		spec: { repos: [{ url: "https://ada:secret@git.example/acme/engine" }] },
		sentence: "the URL of a repository has no password",
	},
	{
		what: "a path that is absolute",
		spec: { repos: [{ url, path: "/etc" }] },
		sentence: "the path of a repository is below the workspace",
	},
	{
		what: "a path that leads out",
		spec: { repos: [{ url, path: "shared/../../etc" }] },
		sentence: "the path of a repository is below the workspace",
	},
	{
		what: "two repositories in one folder",
		spec: {
			repos: [
				{ url, path: "one" },
				{ url, path: "one" },
			],
		},
		sentence: "two repositories have the same path",
	},
];
