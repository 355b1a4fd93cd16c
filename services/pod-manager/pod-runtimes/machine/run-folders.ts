/**
 * The records of this machine's pods on disk: one folder per launch, `run/<session id>-g<generation>`, with the status of its
 * agent, a mark after it was asked to end, and what a runtime keeps beside them. Where sessions are processes of the platform's
 * user, their commands can change all of this; in containers they can change their agent's folder only. For both, the content
 * is attributed to that pod only, and reading it never blocks.
 */
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { now } from "#shared/base/clock.ts";
import { createFile, replaceFile } from "#shared/base/files/replaced-file.ts";
import { readUntrusted, trimUntrusted, UntrustedFileError } from "#shared/base/files/untrusted-file.ts";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import { type PodFailure, type PodStatus, podStatusFields } from "#shared/wire/pod/status.ts";
import { storedSecret } from "#shared/base/secrets/stored-secret.ts";
import { namesIn } from "./folder-entries.ts";
import { type Launch, launchName, parseLaunch } from "../launches/launch.ts";
import { Trash } from "./trash.ts";

/** The records of one launch, as far as they can be read. */
export interface RunRecords {
	/** The status; absent until the agent has reported a readable one. */
	readonly status?: PodStatus;
	/** The time at which the pod was asked to end, in milliseconds since 1970; NaN when it is unreadable. */
	readonly endingSince?: number;
}

const checkStatus = compileSchema(podStatusFields);

/**
 * The most bytes of an agent's output, which is emptied when it gets larger: it serves the analysis of failures and is
 * no record.
 */
const maxLogBytes = 4 * 1_048_576;
const maxStatusBytes = 16_384;
/** The most bytes of the mark of an end, which contains a time. */
const maxMarkBytes = 64;
const endingMark = "ending";
/** The names of records in the folder of a launch. */
const names = { status: "status.json", log: "agent.log" } as const;

const idKind = { name: ".id", form: /^[0-9a-f]{16}$/, make: () => randomBytes(8).toString("hex") };

/** The folders of all launches of one installation. */
export class RunFolders {
	readonly #root: string;
	readonly trash: Trash;

	constructor(root: string) {
		this.#root = root;
		this.trash = new Trash(join(root, ".trash"));
	}

	/**
	 * Returns the id of this folder, which the marks of its pods name; the first call creates it. A copy of the other
	 * folders of an installation has another one. @throws {Error} when it cannot be used.
	 */
	id(): string {
		return storedSecret(dirname(this.#root), { ...idKind, folder: basename(this.#root) });
	}

	/** Returns the path of a record of a launch; absent: of its folder. */
	path(launch: Launch, what?: keyof typeof names): string {
		return join(this.#root, launchName(launch), what === undefined ? "" : names[what]);
	}

	async launches(): Promise<Launch[]> {
		return (await namesIn(this.#root)).map(parseLaunch).filter((launch) => launch !== undefined);
	}

	async ofSession(sessionId: string): Promise<Launch[]> {
		return (await this.launches()).filter((launch) => launch.sessionId === sessionId);
	}

	/** Creates the folder of a launch. @throws {UntrustedFileError} when its name is taken by something else. */
	async create(launch: Launch): Promise<void> {
		await mkdir(this.path(launch), { recursive: true, mode: 0o700 }).catch(unlessTaken);
		await (await UntrustedFolder.open(this.path(launch)))?.[Symbol.asyncDispose]();
	}

	/**
	 * Reads the records; empty when the folder is none or has been replaced. @throws {Error} for a failure of the
	 * machine.
	 */
	async read(launch: Launch): Promise<RunRecords> {
		await using folder = await UntrustedFolder.open(this.path(launch)).catch(ifUnusable(undefined));
		if (!folder) return {};
		const [status, endingSince] = await Promise.all([
			readStatus(folder.path(names.status)),
			readMark(folder.path(endingMark)),
		]);
		return { ...(status && { status }), ...(endingSince !== undefined && { endingSince }) };
	}

	/**
	 * Marks the beginning of a pod's end; an earlier mark stays. Returns whether there is a mark, which is not so when
	 * the folder has been replaced.
	 */
	async markEnding(launch: Launch): Promise<boolean> {
		try {
			await this.create(launch);
			await using folder = await UntrustedFolder.open(this.path(launch));
			if (folder) await createFile(folder.path(endingMark), String(now()));
			return folder !== undefined;
		} catch (error) {
			if (error instanceof UntrustedFileError) return false;
			throw error;
		}
	}

	/** Writes the failure of an agent that died without a status; an existing status stays. */
	async recordEnd(launch: Launch, pid: number, failure: PodFailure): Promise<void> {
		const { status, endingSince } = await this.read(launch);
		if (status || endingSince !== undefined) return;
		const crash: PodStatus = { phase: "failed", pid, failure, timings: {} };
		await using folder = await UntrustedFolder.open(this.path(launch));
		if (folder) await replaceFile(folder.path(names.status), JSON.stringify(crash));
	}

	async tend(launch: Launch): Promise<void> {
		await trimUntrusted(this.path(launch, "log"), maxLogBytes);
	}

	async discard(launch: Launch): Promise<void> {
		await this.trash.discard(this.path(launch));
	}
}

async function readStatus(file: string): Promise<PodStatus | undefined> {
	const content = await readUntrusted(file, maxStatusBytes).catch(ifUnusable(undefined));
	return content && parseStatus(content.toString("utf8"));
}

async function readMark(file: string): Promise<number | undefined> {
	// A process killed between creating and filling the file leaves it empty; the pod then counts as ending since 1970.
	const content = await readUntrusted(file, maxMarkBytes).catch(ifUnusable(Buffer.from("?")));
	return content && Number(content.toString("utf8"));
}

function parseStatus(content: string): PodStatus | undefined {
	try {
		const value: unknown = JSON.parse(content);
		return isPodStatus(value) ? value : undefined;
	} catch {
		// Its writer replaces the file as a whole, so this content is not from the writer.
		return undefined;
	}
}

export function isPodStatus(value: unknown): value is PodStatus {
	return checkStatus(value).length === 0;
}

/** Resolves for the failure that a name is taken. @throws every other one. */
export function unlessTaken(error: NodeJS.ErrnoException): void {
	if (!["EEXIST", "ENOTDIR", "ELOOP"].includes(error.code ?? "")) throw error;
}

/** Returns a handler that replaces an unusable file or folder by a value. */
export function ifUnusable<T>(value: T): (error: unknown) => T {
	return (error) => {
		if (error instanceof UntrustedFileError) return value;
		throw error;
	};
}
