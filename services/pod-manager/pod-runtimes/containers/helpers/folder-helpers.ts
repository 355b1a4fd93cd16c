/**
 * Changes and measures folders of sessions when the platform is not root: a short container of the sessions' image does it, as
 * root of its own with the capabilities for files, without a network, and with one folder mounted. The folders above that one
 * are the platform's, so that no session can put a link into its place.
 */
import { bound } from "#shared/base/bounds.ts";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import { oneLine } from "#shared/base/one-line.ts";
import type { MeasuredFiles, MeasureTerms } from "../../../pod-runtime.ts";
import { recordNames, workspaceNames } from "../../machine/session-folders.ts";
import { confinement } from "../container-request.ts";
import type { ContainersSettings } from "../containers-options.ts";
import { inspectedContainer } from "../inspected-container.ts";
import { type EndedContainer, type ShortContainers, type ShortRun, StillRunning } from "./short-containers.ts";

const target = "/folder";
const limits = { memoryBytes: 268_435_456, nanoCpus: 1e9, processes: 32, temporaryBytes: 1_048_576 };
/** The rights of the owner of files: the folders of a session may have any mode, and the sticky bit. */
const capabilities = ["CHOWN", "DAC_OVERRIDE", "FOWNER"];
/** The most helpers at a time, and of one session. */
const atOnce = 4;
/** The time of one helper, in milliseconds. What is left then is done by the next one. */
const changeMs = 60_000;
const maxOutput = 300;

/** The names of records and workspaces, which a new session may make at any moment, as `find` leaves them out. */
const notKept = [...recordNames, ...workspaceNames].flatMap((name) => ["!", "-name", name]);
const first = ["-mindepth", "1", "-maxdepth", "1"];

/** The forms of commands, which the filter of an engine knows (cli/engine-filter). */
const commandOf = {
	give: (user: number) => ["chown", "-hR", `${user}:${user}`, target],
	clear: () => ["find", target, "-mindepth", "1", "-delete"],
	removeWorkspace: () => ["rm", "-rf", "--", ...workspaceNames.map((name) => `${target}/${name}`)],
	removeRecords: () => ["rm", "-rf", "--", ...recordNames.map((name) => `${target}/${name}`)],
	removeOthers: () => ["find", target, ...first, ...notKept, "-exec", "rm", "-rf", "--", "{}", "+"],
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

	/** Does the task. @param folder Absolute; no session can replace it. @throws {Error} */
	async run(task: Exclude<FolderTask, "measure">, folder: string, signal?: AbortSignal): Promise<void> {
		const ended = await this.#queue.run(folder, () => this.#ended(task, folder, { signal, withinMs: changeMs }));
		if (ended.exitCode !== 0) throw failure(folder, ended);
	}

	/**
	 * Returns the size of all that is in the folder. It waits for no other helper: those who measure do it one by one.
	 * @throws {Error} when the engine cannot run a helper, which is never the fault of the folder.
	 */
	async size(folder: string, { signal, withinMs = bound.measureMs }: MeasureTerms): Promise<MeasuredFiles> {
		try {
			return measured(folder, await this.#ended("measure", folder, { signal, withinMs }));
		} catch (error) {
			if (error instanceof StillRunning) return { bytes: 0, partial: "time" };
			throw error;
		}
	}

	#ended(task: FolderTask, folder: string, terms: Pick<ShortRun, "signal" | "withinMs">): Promise<EndedContainer> {
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
		return this.#short.run({ kind: "helper", task, request, ...terms });
	}
}

/** The exit code of `du` when something has disappeared meanwhile, and its words when it gave up because folders have changed places. */
const hasComplaints = 1;
const gaveUp = "fts_read failed";

/** `du` writes the size of the folder last, and only if it has seen all of it. */
function measured(folder: string, ended: EndedContainer): MeasuredFiles {
	const { exitCode, standardOutput, inspected } = ended;
	const found = /^(\d+)\t/.exec(standardOutput);
	if (exitCode <= hasComplaints && found) return { bytes: Number(found[1]) };
	if (inspectedContainer(inspected).State.OOMKilled) return { bytes: 0, partial: "memory" };
	if (exitCode === hasComplaints && ended.output.includes(gaveUp)) return { bytes: 0, partial: "changes" };
	throw failure(folder, ended);
}

function failure(folder: string, { output }: EndedContainer): Error {
	return new Error(`A helper could not work in "${folder}": ${oneLine(output, maxOutput)}`);
}

const { Tmpfs: _none, ...helperConfinement } = confinement({ limits, user: 0 });
