/**
 * Changes and measures folders of sessions when the platform is not root: a short container of the sessions' image does it, as
 * root of its own with the capabilities for files, without a network, and with one folder mounted. The folders above that one
 * are the platform's, so that no session can put a link into its place.
 */
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import { oneLine } from "#shared/base/one-line.ts";
import { confinement } from "../container-request.ts";
import type { ContainersSettings } from "../containers-options.ts";
import type { ShortContainers } from "./short-containers.ts";

const target = "/folder";
const limits = { memoryBytes: 268_435_456, nanoCpus: 1e9, processes: 32, temporaryBytes: 1_048_576 };
/** The rights of the owner of files: the folders of a session may have any mode, and the sticky bit. */
const capabilities = ["CHOWN", "DAC_OVERRIDE", "FOWNER"];
/** The most helpers at a time, and of one session. */
const atOnce = 4;
/** The time of one helper, in milliseconds. What is left then is done by the next one. */
const changeMs = 60_000;
const maxOutput = 300;

/** The forms of commands, which the filter of an engine knows (cli/engine-filter). */
const commandOf = {
	give: (user: number) => ["chown", "-hR", `${user}:${user}`, target],
	clear: () => ["find", target, "-mindepth", "1", "-delete"],
	removeWorkspace: () => ["rm", "-rf", "--", `${target}/workspace`, `${target}/workspace.partial`],
	removeRecords: () => ["rm", "-rf", "--", `${target}/state`, `${target}/agent.log`],
	measure: () => ["du", "-s", "-B1", target],
} as const;
export type FolderTask = keyof typeof commandOf;

export class FolderHelpers {
	readonly #short: ShortContainers;
	readonly #settings: ContainersSettings;
	readonly #queue = new FairQueue({ atOnce, share: 1 });

	constructor(short: ShortContainers, settings: ContainersSettings) {
		this.#short = short;
		this.#settings = settings;
	}

	/** Does the task and returns what the command has written. @param folder Absolute; no session can replace it. @throws {Error} */
	run(task: FolderTask, folder: string, signal?: AbortSignal): Promise<string> {
		return this.#queue.run(folder, async () => {
			const { image, user } = this.#settings;
			const request = {
				Image: image,
				User: "0:0",
				Entrypoint: [],
				Cmd: commandOf[task](user),
				HostConfig: {
					...helperConfinement,
					CapAdd: capabilities,
					Mounts: [{ Type: "bind", Source: folder, Target: target, ReadOnly: task === "measure" }],
				},
			};
			const ended = await this.#short.run({ kind: "helper", task, request, signal, withinMs: changeMs });
			if (ended.exitCode === 0) return ended.output;
			throw new Error(`A helper could not work in "${folder}": ${oneLine(ended.output, maxOutput)}`);
		});
	}

	/** Returns the bytes that the folder occupies. What cannot be read counts nothing. */
	async bytes(folder: string, signal: AbortSignal): Promise<number> {
		return Number.parseInt(await this.run("measure", folder, signal), 10) || 0;
	}
}

const { Tmpfs: _none, ...helperConfinement } = confinement({ limits, user: 0 });
