/**
 * Writes the configuration of nats-server for a set of processes: a user for each kind of process, who hears what is sent to it and
 * to all, and sends only to the processes that it has to reach (docs/bus.md).
 */
import { busNamespace } from "./bus-namespace.ts";
import { busPeers } from "./bus-peers.ts";

/** One kind of process: all processes of it run the same services and share a user. */
export interface ProcessKind {
	/** The name in the user and in the variable of the password. */
	readonly name: string;
	/** The service folders in the order in which they start. */
	readonly folders: readonly string[];
}

/** The commands to all processes, which every process sends and hears. */
const toAll = ["INFO", "DISCOVER", "HEARTBEAT", "DISCONNECT", "PING"];
/** The commands to one process, which every process sends: they carry no more than those to all. */
const toAny = ["INFO", "DISCOVER", "PING", "PONG"];

/** Reads a kind of process: `gateway+stream`, or `web=gateway+stream` to name it. @throws {RangeError} for an unknown service. */
export function readProcessKind(text: string): ProcessKind {
	const [, name, list = ""] = /^(?:([a-z][a-z0-9-]*)=)?(.+)$/.exec(text) ?? [];
	const wanted = list.split("+");
	const all = Object.keys(busPeers);
	const unknown = wanted.find((folder) => !all.includes(folder));
	if (unknown !== undefined) throw new RangeError(`There is no service "${unknown}"; there are ${all.join(", ")}`);
	const folders = all.filter((folder) => wanted.includes(folder));
	return { name: name ?? labelOf(folders), folders };
}

/** Returns the name of a process on the bus: one token of the subjects. */
export function labelOf(folders: readonly string[]): string {
	return folders.length === Object.keys(busPeers).length ? "platform" : folders.join("-");
}

/** Returns the variable of nats-server's environment with the password of a kind of process. */
export function passwordVariable({ name }: ProcessKind): string {
	return `ATELIER_NATS_${name.toUpperCase().replaceAll("-", "_")}_PASSWORD`;
}

/** Returns the whole configuration. @throws {RangeError} when two kinds have the same name. */
export function natsConfig(kinds: readonly ProcessKind[]): string {
	const names = kinds.map(({ name }) => name);
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice !== undefined) throw new RangeError(`Two kinds of processes are named "${twice}"`);
	const runs = kinds.map(
		(kind) =>
			`#     npm run service -- ${kind.folders.join(" ")}\n#         user ${userOf(kind)}, password $${passwordVariable(kind)}`,
	);
	return `# Rights on NATS for a platform in ${kinds.length} kinds of processes (docs/bus.md). \`npm run nats\` has written this file:
#
#     npm run --silent nats -- config ${kinds.map(argumentOf).join(" ")}
#
${runs.join("\n")}
#
# Passwords come from the environment of nats-server, and begin with a letter: it refuses 12e5, which is a number to it. A
# process hears what is sent to itself and to all, and speaks to those it has to speak to; subjects name processes by their
# services, in the order in which they start. Clients that are not named here get nothing.

accounts {
  ATELIER {
    users = [
${kinds.map((kind) => userBlock(kind, kinds)).join("\n")}
    ]
  }
}
`;
}

function argumentOf({ name, folders }: ProcessKind): string {
	const list = folders.join("+");
	return name === labelOf(folders) ? list : `${name}=${list}`;
}

function userOf({ name }: ProcessKind): string {
	return `atelier-${name}`;
}

function userBlock(kind: ProcessKind, kinds: readonly ProcessKind[]): string {
	const hears = [...toAll.map(subject), `${busNamespace}.*.${labelOf(kind.folders)}.>`];
	const sends = [...toAll.map(subject), ...toAny.map((command) => `${subject(command)}.>`), ...sentTo(kind, kinds)];
	return `      {
        user: ${userOf(kind)}
        password: $${passwordVariable(kind)}
        permissions: {
          subscribe: { allow: ${list(hears)} }
          publish: { allow: ${list(sends)} }
        }
      }`;
}

/** Returns the subjects of requests, answers and events to the other processes, and to those of the same kind. */
function sentTo(kind: ProcessKind, kinds: readonly ProcessKind[]): string[] {
	return kinds.flatMap((other) => {
		const to = (command: string) => `${subject(command)}.${labelOf(other.folders)}.>`;
		return [
			...(reaches(kind, other, "calls") ? [to("REQ")] : []),
			...(reaches(other, kind, "calls") ? [to("RES")] : []),
			...(reaches(kind, other, "tells") ? [to("EVENT")] : []),
		];
	});
}

/** Whether a process needs another one, or one of its own kind: it serves itself unless its own service is in trouble. */
function reaches(from: ProcessKind, to: ProcessKind, by: "calls" | "tells"): boolean {
	return from.folders.some((folder) => busPeers[folder]?.[by].some((peer) => to.folders.includes(peer)));
}

function subject(command: string): string {
	return `${busNamespace}.${command}`;
}

function list(subjects: readonly string[]): string {
	return `[\n${subjects.map((each) => `            "${each}"`).join(",\n")}\n          ]`;
}
