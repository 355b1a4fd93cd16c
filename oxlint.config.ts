/** Configures lint: the style of every file, and which folder may import what (docs/architecture.md). */
import { readdirSync } from "node:fs";
import { defineConfig } from "oxlint";
import { layers } from "./oxlint.layers.ts";

type Override = NonNullable<Parameters<typeof defineConfig>[0]["overrides"]>[number];

/** Refused imports by path, in the order of a .gitignore: a later `!pattern` allows a path again. */
interface Ban {
	group: string[];
	/** The only names that are refused. */
	importNames?: string[];
	message: string;
}

const serviceFolders = readdirSync(new URL("services", import.meta.url), { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map((entry) => entry.name);

const moleculer: Ban = {
	group: ["moleculer", "moleculer-*"],
	message: "Only *.service.ts, shared/bus and the process around them know the framework",
};

/** The folders of adapters beside their ports. */
const adapterFolders =
	"identity-providers pod-runtimes template-sources secret-stores token-issuers credential-stores secret-injections git-providers issue-trackers".split(
		" ",
	);

/** Administrators of a tenant and operators of the installation were one word once. */
const deciding: Ban = {
	group: ["**/bus/principal.ts"],
	importNames: ["isAdmin"],
	message: "Who may do what is asked in shared/contracts/access (docs/decisions/0053-two-tables-decide-access.md)",
};

/** The bans for every file of the product. */
const everywhere: Ban[] = [
	{ group: ["mongodb"], message: "Only shared/store/mongodb-store.ts and shared/store/mongodb know the driver" },
	{
		group: [...adapterFolders.map((folder) => `**/${folder}/**`), "**/embedded-store.ts", "**/mongodb-store.ts"],
		message: "Adapters are named in the configuration and imported by nobody",
	},
	{ group: ["#test/**", "**/test/**"], message: "The product does not know its tests" },
	deciding,
];

const services: Ban = {
	group: ["#services/**", "**/services/**"],
	message: "Services are known by their contract (shared/contracts) only",
};
const agent: Ban = { group: ["#agent/**", "**/agent/**"], message: "The agent is a program of its own" };
const cli: Ban = { group: ["**/cli/**"], message: "The command line is a client of the platform" };

const environment = "The environment is read by shared/config/environment.ts";
const time = "Time comes from shared/base/clock.ts";

const environmentImport = { name: "node:process", importNames: ["env"], message: environment };
const timerImports = [
	{ name: "node:timers", message: time },
	{ name: "node:timers/promises", message: time },
];

const untrusting =
	"Files that an agent can touch are opened by shared/base/files (docs/decisions/0016-files-an-agent-can-touch.md)";
/** Functions that open a file by its name: they block on a pipe and follow a link. */
const openers = ["readFile", "writeFile", "appendFile", "truncate", "copyFile", "cp", "open"];
const fileImports = [
	{ name: "node:fs/promises", importNames: ["default", ...openers], message: untrusting },
	{
		name: "node:fs",
		importNames: [
			"default",
			"promises",
			"createReadStream",
			"createWriteStream",
			"openAsBlob",
			...openers.flatMap((name) => [name, `${name}Sync`]),
		],
		message: untrusting,
	},
];

const outside =
	"Requests leave the platform by shared/net/outbound, as platform.outbound (docs/decisions/0045-one-way-out.md)";
/** Functions that open a connection to somebody else. */
const connectingImports = [
	{ name: "node:http", importNames: ["default", "request", "get", "Agent", "ClientRequest"], message: outside },
	{ name: "node:https", importNames: ["default", "request", "get", "Agent"], message: outside },
	{ name: "node:http2", importNames: ["default", "connect"], message: outside },
	{ name: "node:net", importNames: ["default", "connect", "createConnection"], message: outside },
	{ name: "node:tls", importNames: ["default", "connect"], message: outside },
	{ name: "undici", message: outside },
];
const connectingGlobals = ["fetch", "WebSocket", "EventSource"].map((name) => ({ name, message: outside }));
/** These talk to the platform's own pods, or to servers of the configuration without following redirects. */
const ownClients = [
	"services/sessions/pod/**",
	"services/pod-manager/pod-client.ts",
	"services/pat/token-issuers/**",
	"shared/base/tokens/**",
];

/** A socket without the bounds of that file handles all frames of a chunk in one turn of the event loop. */
const webSockets = {
	name: "ws",
	importNames: ["default", "WebSocket", "WebSocketServer", "Receiver", "createWebSocketStream"],
	message: "WebSockets are made by shared/net/http/websockets.ts (docs/chat.md)",
	allowTypeImports: true,
};

/** Returns one entry for each folder of a module with layers. @param bans The bans of the whole module. */
function layered(module: string, bans: Ban[], options: { opens?: boolean; connects?: boolean }): Override[] {
	const folders = layers[module] ?? {};
	return Object.entries(folders).flatMap(([folder, allowed]) => {
		const others = Object.keys(folders).filter((other) => other !== folder && !allowed.includes(other));
		const above = (up: string): Ban => ({
			group: [`${up}/*.ts`, ...others.map((other) => `${up}/${other}/**`)],
			message: `The layers of ${module} (oxlint.layers.ts): of it, ${folder} may import ${allowed.join(", ") || "nothing"}`,
		});
		return [
			refuse([`${module}/${folder}/*.ts`], [...bans, above("..")], options),
			refuse([`${module}/${folder}/*/**`], [...bans, above("../..")], options),
		];
	});
}

/** The exceptions of some files from the bans on modules of Node and on WebSockets. */
interface Exceptions {
	timers?: boolean;
	/** Default true. */
	opens?: boolean;
	connects?: boolean;
	sockets?: boolean;
}

/** Returns an entry with all bans of its files, because the last entry that matches a file replaces the others. */
function refuse(
	files: string[],
	bans: Ban[],
	{ except = [], ...exceptions }: Exceptions & { except?: string[] } = {},
): Override {
	const paths = bannedModules(exceptions);
	return { files, excludeFiles: except, rules: { "no-restricted-imports": ["error", { paths, patterns: bans }] } };
}

function bannedModules({ timers, opens, connects, sockets }: Exceptions) {
	return [
		environmentImport,
		...(timers ? [] : timerImports),
		...(opens === false ? fileImports : []),
		...(connects ? [] : connectingImports),
		...(sockets ? [] : [webSockets]),
	];
}

/** Functions that list a folder. */
const listers = ["readdir", "opendir", "glob"];
const listingBan: Ban = {
	group: ["node:fs", "node:fs/promises"],
	importNames: [...listers, ...listers.map((name) => `${name}Sync`)],
	message: "Files of sessions have names of any bytes, which only folder-entries.ts reads as they are",
};
const localPods = "services/pod-manager/pod-runtimes/local-process";
/** These list folders of the system. */
const systemListers = ["folder-entries", "control-groups", "marked-processes"].map((name) => `${localPods}/${name}.ts`);

function serviceBorders(name: string): Override[] {
	const others: Ban = {
		group: [
			...services.group,
			`!#services/${name}/**`,
			...serviceFolders.filter((other) => other !== name).map((other) => `../**/${other}/**`),
		],
		message: services.message,
	};
	const bans = [...everywhere, others, agent, cli];
	const wiring = `services/${name}/**/*.service.ts`;
	// The pod manager shares folders with agents, as agents themselves do.
	const opens = name !== "pod-manager";
	return [
		refuse([`services/${name}/**`], [...bans, moleculer], { except: [wiring], opens }),
		refuse([wiring], bans, { opens }),
		// An exception from one ban would hold for all bans, so these have none; a service imports its own files by
		// relative paths.
		...layered(`services/${name}`, [...everywhere, services, agent, cli, moleculer], { opens }),
		...(name === "pod-manager"
			? [refuse([`${localPods}/**`], [...bans, moleculer, listingBan], { opens, except: systemListers })]
			: []),
	];
}

const outsideShared = [services, agent, cli];
const agentBans = [...everywhere, services, cli, moleculer];

const borders: Override[] = [
	...serviceFolders.flatMap(serviceBorders),
	refuse(["services/*.ts"], [...everywhere, { ...services, group: [...services.group, "./*/**"] }, agent, cli]),
	refuse(["moleculer.config.ts"], [...everywhere, services, agent, cli]),
	refuse(["agent/**"], agentBans, { opens: false, connects: true }),
	...layered("agent", [...agentBans, { ...agent, group: ["#agent/**"] }], { opens: false, connects: true }),
	refuse(
		["cli/**"],
		[
			...everywhere,
			services,
			agent,
			moleculer,
			{
				group: [
					"#shared/**",
					"!#shared/config/**",
					"!#shared/base/clock.ts",
					"!#shared/config/api-token.ts",
					"!#shared/wire/agents/**",
					"!#shared/telemetry/metrics/metric-markdown.ts",
					"!#shared/store/audit/**",
					"!#shared/wire/models/model-catalogue.ts",
					"!#shared/contracts/access/**",
					"!#shared/base/principal.ts",
					"!#shared/bus/nats/nats-config.ts",
				],
				message:
					"The command line talks HTTP; of the platform it knows the configuration, the permissions on NATS, the agents, the models, the tables of access, the clock, the table of metrics and the form of the audit log",
			},
		],
		{ connects: true },
	),
	refuse(["shared/**"], [...everywhere, ...outsideShared, moleculer]),
	refuse(
		["shared/contracts/access/**"],
		[...everywhere.filter((ban) => ban !== deciding), ...outsideShared, moleculer],
	),
	refuse(["shared/net/outbound/**"], [...everywhere, ...outsideShared, moleculer], { connects: true }),
	refuse(["shared/net/http/websockets.ts"], [...everywhere, ...outsideShared, moleculer], { sockets: true }),
	refuse(["shared/bus/**", "shared/base/errors.ts", "host/platform.ts"], [...everywhere, ...outsideShared]),
	refuse(
		["shared/contracts/**"],
		[
			...everywhere,
			...outsideShared,
			moleculer,
			{
				group: ["*", "!./*.ts", "!./*/*.ts", "!../bus/contract.ts", "!../bus/schema.ts"],
				message: "A contract is values only: bus/contract, bus/schema and other contracts",
			},
		],
	),
	refuse(
		["shared/contracts/*/**"],
		[
			...everywhere,
			...outsideShared,
			moleculer,
			{
				group: ["*", "!./*.ts", "!../*.ts", "!../[a-z]*/*.ts", "!../../bus/contract.ts", "!../../bus/schema.ts"],
				message: "A contract is values only: bus/contract, bus/schema and other contracts",
			},
		],
	),
	refuse(["shared/base/clock.ts"], [...everywhere, ...outsideShared, moleculer], { timers: true }),
	refuse(
		["shared/store/mongodb-store.ts", "shared/store/mongodb/**"],
		[...everywhere.slice(1), ...outsideShared, moleculer],
	),
];

const product = ["shared/**", "services/**", "agent/**", "cli/**", "moleculer.config.ts"];

const clockReadings = [
	["Date", "now"],
	["performance", "now"],
	["AbortSignal", "timeout"],
	["globalThis", "setTimeout"],
	["globalThis", "setInterval"],
].map(([object = "", property = ""]) => ({ object, property, message: time }));

const clockAndEnvironment: Override[] = [
	{
		files: product,
		excludeFiles: ["shared/base/clock.ts"],
		rules: {
			"no-restricted-globals": ["error", "setTimeout", "setInterval"],
			"no-restricted-properties": [
				"error",
				{ object: "process", property: "env", message: environment },
				...clockReadings,
			],
		},
	},
	{
		files: ["services/**", "shared/**"],
		excludeFiles: [...ownClients, "shared/base/clock.ts", "shared/net/outbound/**"],
		rules: { "no-restricted-globals": ["error", "setTimeout", "setInterval", ...connectingGlobals] },
	},
	{
		files: ["shared/config/environment.ts", "shared/base/failpoints.ts"],
		rules: { "no-restricted-properties": ["error", ...clockReadings] },
	},
];

/** These tell the person or the process that started them something, before there is a log or after it. */
const printing = [
	"shared/config/command-line.ts",
	"host/start.ts",
	"host/archive.ts",
	"host/platform-process.ts",
	"host/end-process.ts",
	"agent/main.ts",
	"agent/builtin/stderr-log.ts",
];

/** Services have the broker's logger (shared/base/service-log.ts), the session agent has the log of its session. */
const logging: Override = {
	files: ["services/**", "shared/**", "agent/**"],
	excludeFiles: printing,
	rules: { "no-console": "error" },
};

export default defineConfig({
	plugins: ["typescript", "import", "promise", "node", "unicorn", "oxc"],
	categories: { correctness: "error" },
	options: { typeAware: true },
	ignorePatterns: ["node_modules"],
	rules: {
		"typescript/no-floating-promises": "error",
		"typescript/no-misused-promises": "error",
		"typescript/no-explicit-any": "error",
		"typescript/switch-exhaustiveness-check": "error",
		"typescript/consistent-type-imports": "error",
		"import/no-cycle": ["error", { ignoreTypes: false }],
		"import/extensions": "off",
		"max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
		"max-lines-per-function": ["error", { max: 60, skipComments: true }],
		complexity: ["error", 10],
		"max-params": ["error", 4],
	},
	overrides: [
		{ files: ["**/*.service.ts", "test/**"], rules: { "max-lines-per-function": "off" } },
		{ files: ["shared/base/schema/json-schema.ts"], rules: { complexity: "off" } },
		// The store's `update` takes the guard, the change and the events in one call.
		{ files: ["shared/store/*-store.ts", "shared/store/audit/*-store.ts"], rules: { "max-params": ["error", 5] } },
		...borders,
		...clockAndEnvironment,
		logging,
	],
});
