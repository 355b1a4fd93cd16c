/**
 * `npm run engine-filter -- --engine <socket> --listen <socket> …` stands before a container engine's socket for a platform that
 * must not have the socket itself (docs/session-containers.md). It runs until SIGTERM or SIGINT. Exit code 1: it cannot listen; 2: the
 * command line was not understood.
 */
import { once } from "node:events";
import { chmodSync, chownSync, realpathSync, rmSync } from "node:fs";
import { readCommandLine, refuseCommandLine } from "#shared/config/command-line.ts";
import { engineFilter } from "./engine-filter/filter-server.ts";

const commandTable = {
	usage:
		"npm run engine-filter -- --engine <socket> --listen <socket> --installation <id> --image <name>... --user <uid> --folder <path>...",
	summary: "Lets a platform create its own containers at an engine, and nothing else. Exit code 1: it cannot listen.",
	options: {
		engine: { type: "string", value: "<socket>", default: "/var/run/docker.sock", help: "the socket of the engine" },
		listen: { type: "string", value: "<socket>", help: "the socket for the platform, which is made" },
		installation: { type: "string", value: "<id>", help: "the id of the platform (npm run doctor says it)" },
		image: {
			type: "string",
			multiple: true,
			value: "<name>",
			help: "an image that sessions may have; may be repeated",
		},
		user: { type: "string", value: "<uid>", isNumber: true, help: "the user of sessions, not 0" },
		folder: {
			type: "string",
			multiple: true,
			value: "<path>",
			help: "a folder below which mounts may be; may be repeated",
		},
		"max-memory-mb": {
			type: "string",
			value: "<MB>",
			isNumber: true,
			default: "16384",
			help: "the most memory of a session",
		},
		group: {
			type: "string",
			value: "<gid>",
			isNumber: true,
			help: "the group that may use the socket; default: this program's own",
		},
	},
} as const;

const { values } = readCommandLine(commandTable);
const { engine, listen, installation, image: images = [], folder: folders = [], group } = values;
const user = Number(values.user ?? 0);
if (!listen || !installation || images.length === 0 || folders.length === 0)
	refuseCommandLine(commandTable, "--listen, --installation, --image and --folder are needed");
if (user === 0) refuseCommandLine(commandTable, "--user is needed, and sessions cannot run as the user 0");

const server = engineFilter({
	engine,
	platform: {
		installation,
		images,
		user,
		folders: folders.map((path) => realpathSync(path)),
		maxMemory: Number(values["max-memory-mb"]) * 1_048_576,
	},
	onRefused: (sentence) => console.error(sentence),
});
for (const signal of ["SIGTERM", "SIGINT"] as const) {
	process.once(signal, () => {
		server.close();
		server.closeAllConnections();
	});
}
// A filter that was killed has left its socket.
rmSync(listen, { force: true });
// Nobody may connect before the rights of the socket are set.
process.umask(0o177);
server.listen(listen);
await once(server, "listening");
if (group !== undefined) chownSync(listen, -1, Number(group));
chmodSync(listen, group === undefined ? 0o600 : 0o660);
console.log(`The filter listens at ${listen} for the platform ${installation}`);
await once(server, "close");
