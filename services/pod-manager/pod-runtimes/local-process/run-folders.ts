/**
 * What is on disk about the pods of this machine: one folder for each launch, `run/<session id>-g<generation>`, with
 * the status the agent writes, its output, its home, and a mark once it was asked to end. All of it lies in front of the
 * commands of the agent, so whatever they make of a folder is taken for that pod's, and never keeps anybody waiting.
 */
import { mkdir, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Output, schema } from "#shared/bus/schema.ts";
import { compileSchema } from "#shared/bus/validator.ts";
import { now } from "#shared/clock.ts";
import { createFile, replaceFile } from "#shared/files/replaced-file.ts";
import { readUntrusted, trimUntrusted, UntrustedFileError } from "#shared/files/untrusted-file.ts";
import { UntrustedFolder } from "#shared/files/untrusted-folder.ts";
import { type PodFailure, podPhases } from "#shared/pod/status.ts";
import { type Launch, launchName, parseLaunch } from "./launch.ts";
import { Trash } from "./trash.ts";

const text = { type: "string" } as const;

/** PodStatus (shared/pod/status.ts), as far as the platform reads it. */
const statusFields = schema({
	phase: { type: "enum", values: podPhases },
	pid: { type: "number", integer: true },
	port: { type: "number", integer: true, optional: true },
	failure: { type: "object", props: { code: text, message: text }, optional: true },
	timings: { type: "record", key: text, value: text },
	agent_title: { ...text, optional: true },
});
export type WrittenStatus = Output<typeof statusFields>;

export interface RunRecords {
	/** Absent until the agent has written one that can be read. */
	readonly status?: WrittenStatus;
	/** Milliseconds since 1970 at which it was asked to end; NaN when that cannot be read. */
	readonly endingSince?: number;
}

const checkStatus = compileSchema(statusFields);

/** Output of an agent is a help in trouble, not a record: it begins anew when it gets larger. */
const maxLogBytes = 4 * 1_048_576;
const maxStatusBytes = 16_384;
/** Of the mark of an end: a time. */
const maxMarkBytes = 64;
const endingMark = "ending";

export class RunFolders {
	readonly #root: string;
	readonly #trash: Trash;

	constructor(root: string) {
		this.#root = root;
		this.#trash = new Trash(join(root, ".trash"));
	}

	statusFile(launch: Launch): string {
		return join(this.#path(launch), "status.json");
	}

	home(launch: Launch): string {
		return join(this.#path(launch), "home");
	}

	log(launch: Launch): string {
		return join(this.#path(launch), "agent.log");
	}

	async launches(): Promise<Launch[]> {
		const names = await readdir(this.#root).catch(ifMissing<string[]>([]));
		return names.map(parseLaunch).filter((launch) => launch !== undefined);
	}

	/** @throws {UntrustedFileError} when something else has its name. */
	async create(launch: Launch): Promise<void> {
		await mkdir(this.#path(launch), { recursive: true, mode: 0o700 }).catch(unlessTaken);
		await using folder = await UntrustedFolder.open(this.#path(launch));
		if (folder) await mkdir(folder.path(basename(this.home(launch))), { recursive: true, mode: 0o700 });
	}

	/** Empty for a folder that is none, or none of ours any more. @throws {Error} for a trouble of the machine's. */
	async read(launch: Launch): Promise<RunRecords> {
		await using folder = await UntrustedFolder.open(this.#path(launch)).catch(ifUnusable(undefined));
		if (!folder) return {};
		const [status, endingSince] = await Promise.all([
			readStatus(folder.path(basename(this.statusFile(launch)))),
			readMark(folder.path(endingMark)),
		]);
		return { ...(status && { status }), ...(endingSince !== undefined && { endingSince }) };
	}

	/** Keeps the first time. Returns whether there is one now: not where something else has taken the place of its folder. */
	async markEnding(launch: Launch): Promise<boolean> {
		try {
			await this.create(launch);
			await using folder = await UntrustedFolder.open(this.#path(launch));
			if (folder) await createFile(folder.path(endingMark), String(now()));
			return folder !== undefined;
		} catch (error) {
			if (error instanceof UntrustedFileError) return false;
			throw error;
		}
	}

	/** Says in the place of an agent that died without a word why it is gone; one that spoke is left alone. */
	async recordEnd(launch: Launch, pid: number, failure: PodFailure): Promise<void> {
		const { status, endingSince } = await this.read(launch);
		if (status || endingSince !== undefined) return;
		const crash: WrittenStatus = { phase: "failed", pid, failure, timings: {} };
		await using folder = await UntrustedFolder.open(this.#path(launch));
		if (folder) await replaceFile(folder.path(basename(this.statusFile(launch))), JSON.stringify(crash));
	}

	async trimLog(launch: Launch): Promise<void> {
		await trimUntrusted(this.log(launch), maxLogBytes);
	}

	discard(launch: Launch): Promise<void> {
		return this.#trash.discard(this.#path(launch));
	}

	/** Finishes what an earlier process began to remove. */
	emptyTrash(signal: AbortSignal): Promise<void> {
		return this.#trash.empty(signal);
	}

	/** A sentence about what cannot be removed. */
	get trashTrouble(): string | undefined {
		return this.#trash.trouble;
	}

	#path(launch: Launch): string {
		return join(this.#root, launchName(launch));
	}
}

async function readStatus(file: string): Promise<WrittenStatus | undefined> {
	const content = await readUntrusted(file, maxStatusBytes).catch(ifUnusable(undefined));
	return content && parseStatus(content.toString("utf8"));
}

async function readMark(file: string): Promise<number | undefined> {
	// A kill between making and filling the file leaves it empty: then it has been ending since 1970.
	const content = await readUntrusted(file, maxMarkBytes).catch(ifUnusable(Buffer.from("?")));
	return content && Number(content.toString("utf8"));
}

function parseStatus(content: string): WrittenStatus | undefined {
	try {
		const value: unknown = JSON.parse(content);
		return isStatus(value) ? value : undefined;
	} catch {
		// Only whole files are put there, so this one is not from an agent of ours.
		return undefined;
	}
}

function isStatus(value: unknown): value is WrittenStatus {
	return checkStatus(value).length === 0;
}

function ifMissing<T>(value: T): (error: unknown) => T {
	return (error) => {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return value;
		throw error;
	};
}

function unlessTaken(error: NodeJS.ErrnoException): void {
	if (!["EEXIST", "ENOTDIR", "ELOOP"].includes(error.code ?? "")) throw error;
}

/** For what an agent has put there. */
function ifUnusable<T>(value: T): (error: unknown) => T {
	return (error) => {
		if (error instanceof UntrustedFileError) return value;
		throw error;
	};
}
