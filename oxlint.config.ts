/** Configures lint: the style of every file, and which folder may import what (docs/architecture.md). */
import { basename } from "node:path";
import { defineConfig } from "oxlint";
import { type Ban, foldersIn, layerBan, layers, refuseFoldersWithoutRow } from "./oxlint.layers.ts";
import { bannedModules, environment, type Exceptions, outside, time } from "./oxlint.modules.ts";

type Override = NonNullable<Parameters<typeof defineConfig>[0]["overrides"]>[number];

const serviceFolders = foldersIn("services");
for (const module of ["shared", "host", "cli", "agent", ...serviceFolders.map((name) => `services/${name}`)])
	refuseFoldersWithoutRow(module);

const moleculer: Ban = {
	group: ["moleculer", "moleculer-*"],
	message: "Only *.service.ts, shared/bus and host know the framework",
};

/** The folders of adapters beside their ports. */
const adapterFolders =
	"identity-providers pod-runtimes template-sources secret-stores token-issuers credential-stores secret-injections git-providers issue-trackers".split(
		" ",
	);

/** Administrators of a tenant and operators of the installation were one word once. */
const deciding: Ban = {
	group: ["**/base/principal.ts", "./principal.ts", "../principal.ts"],
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
/** A service knows its own side of the process around it. */
const host: Ban = {
	group: [
		"#host/**",
		"!#host/platform.ts",
		"!#host/readiness.ts",
		"!#host/presence",
		"!#host/presence/process-registry.ts",
		"!#host/archive",
		"!#host/archive/archive-format.ts",
	],
	message:
		"A service knows of host what it is composed from: platform.ts, readiness.ts, the registry of processes and the error of archives",
};
const noHost: Ban = { group: ["#host/**", "**/host/**"], message: "Only processes of the platform know host" };
const agent: Ban = { group: ["#agent/**", "**/agent/**"], message: "The agent is a program of its own" };
const cli: Ban = { group: ["**/cli/**"], message: "The command line is a client of the platform" };

const connectingGlobals = ["fetch", "WebSocket", "EventSource"].map((name) => ({ name, message: outside }));
/** These talk to the platform's own pods, or to servers of the configuration without following redirects. */
const ownClients = [
	"services/sessions/pod/**",
	"services/pod-manager/pod-client.ts",
	"services/pat/token-issuers/**",
	"services/credentials/vault/**",
	"shared/base/tokens/**",
];

/** The rules of files beside their layer. */
interface Rules extends Exceptions {
	bans: Ban[];
}

/** Returns the entries for the folders of a module. @param rulesOf Returns the rules of a folder beside its layer. */
function layered(module: string, rulesOf: (folder: string) => Rules): Override[] {
	return Object.keys(layers[module] ?? {}).flatMap((folder) => {
		const { bans, ...options } = rulesOf(folder);
		return [
			refuse([`${module}/${folder}/*.ts`], [...bans, layerBan(module, folder, "..")], options),
			refuse([`${module}/${folder}/*/**`], [...bans, layerBan(module, folder, "../..")], options),
		];
	});
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

/** Functions that list a folder. */
const listers = ["readdir", "opendir", "glob"];
const listingBan: Ban = {
	group: ["node:fs", "node:fs/promises"],
	importNames: [...listers, ...listers.map((name) => `${name}Sync`)],
	message:
		"Files of sessions have names of any bytes, which only folder-entries.ts and count-files.ts read as they are",
};
const podRuntimes = "services/pod-manager/pod-runtimes";
/** This has the parts that the runtimes for one machine have in common. */
const machine = `${podRuntimes}/machine`;
const localPods = `${podRuntimes}/local-process`;
/** These talk to an engine, and pass on connections between the platform and the sessions' containers. */
const containers = `${podRuntimes}/containers`;
const kubernetes = `${podRuntimes}/kubernetes`;
/** These list folders of the system. */
const systemListers = [
	`${machine}/folder-entries.ts`,
	`${localPods}/control-groups.ts`,
	`${localPods}/marked-processes.ts`,
];

/** The bans of a folder with parts of runtimes. @param allowed The only other one of these folders that it may import. */
function runtimeBans(folder: string, allowed?: string): Ban[] {
	const others = [machine, localPods, containers, kubernetes].filter((other) => other !== folder && other !== allowed);
	const apart: Ban = {
		group: others.map((other) => `**/${basename(other)}/**`),
		message: "A runtime knows no other one; what several need is in pod-runtimes/machine",
	};
	return [apart, layerBan("services/pod-manager", "pod-runtimes", "../..")];
}

function serviceBorders(name: string): Override[] {
	const others: Ban = {
		group: [
			...services.group,
			`!#services/${name}/**`,
			...serviceFolders.filter((other) => other !== name).map((other) => `../**/${other}/**`),
		],
		message: services.message,
	};
	const bans = [...everywhere, others, host, agent, cli];
	const wiring = `services/${name}/**/*.service.ts`;
	// The pod manager shares folders with agents, as agents themselves do.
	const opens = name !== "pod-manager";
	return [
		refuse([`services/${name}/**`], [...bans, moleculer], { except: [wiring], opens }),
		refuse([wiring], bans, { opens }),
		// An exception from one ban would hold for all bans, so these have none; a service imports its own files by
		// relative paths.
		...layered(`services/${name}`, () => ({ bans: [...everywhere, services, host, agent, cli, moleculer], opens })),
		...(name === "pod-manager"
			? [
					refuse([`${machine}/**`], [...bans, moleculer, listingBan, ...runtimeBans(machine)], {
						opens,
						except: systemListers,
					}),
					refuse([`${localPods}/**`], [...bans, moleculer, listingBan, ...runtimeBans(localPods, machine)], {
						opens,
						except: systemListers,
					}),
					refuse([`${containers}/**`], [...bans, moleculer, ...runtimeBans(containers, machine)], {
						opens,
						connects: true,
					}),
					refuse([`${kubernetes}/**`], [...bans, moleculer, ...runtimeBans(kubernetes, machine)], {
						opens,
						connects: true,
					}),
				]
			: []),
	];
}

const outsideShared = [services, noHost, agent, cli];
const agentBans = [...everywhere, services, noHost, cli, moleculer];
/** The agent is no process of the platform. */
const platformRooms: Ban = {
	group: ["#shared/store/**", "#shared/bus/**", "#shared/telemetry/**"],
	message: "The session agent talks HTTP to the platform, and has neither store nor bus",
};
const agentRules = (): Rules => ({
	bans: [...agentBans, platformRooms, { ...agent, group: ["#agent/**"] }],
	opens: false,
	connects: true,
});

/** The rules of one room of shared, beside its layer. */
function roomRules(room: string): Rules {
	const bans = [...everywhere, ...outsideShared];
	return room === "bus" ? { bans } : { bans: [...bans, moleculer] };
}

const valuesOnly = "A contract is values only: base/schema/schema.ts, tables of base and other contracts";
const tables = ["!#shared/base/schema/schema.ts", "!#shared/base/git-hosts.ts", "!#shared/base/bounds.ts"];
/** @param contracts The other contracts, as patterns. */
function contractBans(...contracts: string[]): Ban[] {
	const group = ["*", "!./*.ts", ...contracts, ...tables];
	return [...roomRules("contracts").bans, { group, message: valuesOnly }];
}
const driverBans = [...everywhere.slice(1), ...outsideShared, moleculer];

const borders: Override[] = [
	...serviceFolders.flatMap(serviceBorders),
	refuse(["host/**"], [...everywhere, services, agent, cli]),
	...layered("host", () => ({ bans: [...everywhere, services, agent, cli, moleculer] })),
	refuse(["moleculer.config.ts"], [...everywhere, services, agent, cli]),
	refuse(["agent/**"], [...agentBans, platformRooms], { opens: false, connects: true }),
	...layered("agent", agentRules),
	...cliBorders(),
	refuse(["shared/*.ts"], roomRules("").bans),
	...layered("shared", roomRules),
	refuse(["shared/base/clock.ts"], [...roomRules("base").bans, layerBan("shared", "base", "..")], { timers: true }),
	refuse(["shared/net/{outbound,egress,sockets}/**"], [...roomRules("net").bans, layerBan("shared", "net", "../..")], {
		connects: true,
	}),
	refuse(["shared/model-proxy/*/**"], [...roomRules("model-proxy").bans, layerBan("shared", "model-proxy", "../..")], {
		connects: true,
	}),
	refuse(["shared/kubernetes/api/**"], [...roomRules("kubernetes").bans, layerBan("shared", "kubernetes", "../..")], {
		connects: true,
	}),
	refuse(["shared/net/http/websockets.ts"], [...roomRules("net").bans, layerBan("shared", "net", "../..")], {
		sockets: true,
	}),
	refuse(["shared/contracts/**"], contractBans("!./*/*.ts")),
	refuse(["shared/contracts/*/**"], contractBans("!../*.ts", "!../[a-z]*/*.ts")),
	refuse(
		["shared/contracts/access/**"],
		[
			...everywhere.filter((ban) => ban !== deciding),
			...outsideShared,
			moleculer,
			layerBan("shared", "contracts", "../.."),
		],
	),
	refuse(["shared/store/mongodb-store.ts"], [...driverBans, layerBan("shared", "store", "..")]),
	refuse(["shared/store/mongodb/**"], [...driverBans, layerBan("shared", "store", "../..")]),
];

/** The command line talks HTTP, and knows little of the platform. */
function cliBorders(): Override[] {
	const known = {
		contracts: ["access"],
		wire: ["agents", "engine", "models"],
		store: ["audit"],
		telemetry: ["metrics"],
		bus: ["nats"],
		// A filter must not take the place of a living one.
		net: ["sockets"],
	};
	const group = Object.entries(known).flatMap(([room, folders]) => [
		`#shared/${room}/**`,
		...folders.flatMap((folder) => [`!#shared/${room}/${folder}`, `!#shared/${room}/${folder}/**`]),
	]);
	const message =
		"The command line talks HTTP; of the platform it knows the configuration, the permissions on NATS, the agents, the models, the statement of an engine's filter, the tables of access, the table of metrics, the form of the audit log and whether a socket is in use";
	const bans = [...everywhere, services, noHost, agent, moleculer, { group, message }];
	return [refuse(["cli/**"], bans, { connects: true }), ...layered("cli", () => ({ bans, connects: true }))];
}

const product = ["shared/**", "host/**", "services/**", "agent/**", "cli/**", "moleculer.config.ts"];

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
		files: ["services/**", "host/**", "shared/**"],
		excludeFiles: [...ownClients, "shared/base/clock.ts", "shared/net/outbound/**"],
		rules: { "no-restricted-globals": ["error", "setTimeout", "setInterval", ...connectingGlobals] },
	},
	{
		files: ["host/main.js", "shared/config/environment.ts", "shared/base/failpoints.ts"],
		rules: { "no-restricted-properties": ["error", ...clockReadings] },
	},
];

/** These tell the person or the process that started them something, before there is a log or after it. */
const printing = [
	"shared/config/command-line.ts",
	"host/start.ts",
	"host/archive.ts",
	"host/machine.ts",
	"host/platform-process.ts",
	"host/end-process.ts",
	"services/credentials/move-credentials.ts",
	"agent/main.ts",
	"agent/builtin/stderr-log.ts",
];

/** Services have the broker's logger (shared/base/service-log.ts), the session agent has the log of its session. */
const logging: Override = {
	files: ["services/**", "host/**", "shared/**", "agent/**"],
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
