/**
 * `npm run engine-filter -- --engine <socket> --listen <socket> …` stands before a container engine's socket for a platform that
 * must not have the socket itself (docs/one-server.md). It runs until SIGTERM or SIGINT, and ends when the calls that it
 * answers have ended. Exit code 1: it cannot listen; 2: the command line was not understood.
 */
import { realpathSync } from "node:fs";
import { readCommandLine, refuseCommandLine } from "#shared/config/command-line.ts";
import { EngineFilter } from "./engine-filter/filter-server.ts";
import { listenAt } from "./engine-filter/filter-socket.ts";

const commandTable = {
	usage:
		"npm run engine-filter -- --listen <socket> --data-dir <folder> --installation <id> [--image <name>]... [--owner <uid>]",
	summary: "Lets a platform create its own containers at an engine, and nothing else. Exit code 1: it cannot listen.",
	options: {
		engine: { type: "string", value: "<socket>", default: "/var/run/docker.sock", help: "the socket of the engine" },
		listen: { type: "string", value: "<socket>", help: "the socket for the platform, which is made" },
		"data-dir": { type: "string", value: "<folder>", help: "the platform's data folder; containers get folders of it" },
		installation: {
			type: "string",
			value: "<id>",
			help: "the id of the platform, which npm run config -- --installation prints",
		},
		image: {
			type: "string",
			multiple: true,
			value: "<name>",
			help: "an image that sessions may have, the platform's own first; default: atelier/session",
		},
		owner: {
			type: "string",
			value: "<uid>",
			isNumber: true,
			default: "231001",
			help: "the user and group of sessions, not 0",
		},
		"max-memory-mb": {
			type: "string",
			value: "<MB>",
			isNumber: true,
			default: "16384",
			help: "the most memory of a session",
		},
		mode: { type: "string", value: "<mode>", default: "660", help: "the mode of the socket, 600 or 660" },
		group: {
			type: "string",
			value: "<gid>",
			isNumber: true,
			help: "the group that may use the socket; default: this program's own",
		},
	},
} as const;

const { values } = readCommandLine(commandTable);
const { engine, listen, installation, image: images = ["atelier/session"], mode, group } = values;
const owner = Number(values.owner);
if (!listen || !installation || !values["data-dir"])
	refuseCommandLine(commandTable, "--listen, --data-dir and --installation are needed");
if (!(owner >= 1 && owner <= 4_294_967_294)) refuseCommandLine(commandTable, "--owner is a user of its own, not 0");
if (mode !== "600" && mode !== "660") refuseCommandLine(commandTable, `--mode is 600 or 660, not "${mode}"`);

try {
	const filter = new EngineFilter({
		engine,
		platform: {
			installation,
			images,
			owner,
			dataDir: realpathSync(values["data-dir"]),
			maxMemory: Number(values["max-memory-mb"]) * 1_048_576,
		},
		onRefused: (sentence) => console.error(sentence),
	});
	await listenAt(filter.server, listen, {
		mode: Number.parseInt(mode, 8),
		group: group === undefined ? undefined : Number(group),
	});
	for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void filter.close());
	console.log(`The filter listens at ${listen} for the platform ${installation}`);
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
