/** Says which modules of Node and which packages most files may not import; oxlint.config.ts names the files that may. */

export const environment = "The environment is read by shared/config/environment.ts";
export const time = "Time comes from shared/base/clock.ts";

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

export const outside =
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
/** A socket without the bounds of that file handles all frames of a chunk in one turn of the event loop. */
const webSockets = {
	name: "ws",
	importNames: ["default", "WebSocket", "WebSocketServer", "Receiver", "createWebSocketStream"],
	message: "WebSockets are made by shared/net/http/websockets.ts (docs/chat.md)",
	allowTypeImports: true,
};

/** The exceptions of some files from the bans on modules of Node and on WebSockets. */
export interface Exceptions {
	timers?: boolean;
	/** Default true. */
	opens?: boolean;
	connects?: boolean;
	sockets?: boolean;
}

/** Returns the bans of files with these exceptions. */
export function bannedModules({ timers, opens, connects, sockets }: Exceptions) {
	return [
		environmentImport,
		...(timers ? [] : timerImports),
		...(opens === false ? fileImports : []),
		...(connects ? [] : connectingImports),
		...(sockets ? [] : [webSockets]),
	];
}
