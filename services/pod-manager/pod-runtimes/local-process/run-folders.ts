/**
 * The records of this machine's pods on disk: one folder per launch, `run/<session id>-g<generation>`, with the status
 * that the agent writes, its output, its home, its temporary files, and a mark after it was asked to end. The agent's
 * commands can change all of this, so the content is attributed to that pod only, and reading it never blocks.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { now } from "#shared/base/clock.ts";
import { createFile, replaceFile } from "#shared/base/files/replaced-file.ts";
import { readUntrusted, trimUntrusted, UntrustedFileError } from "#shared/base/files/untrusted-file.ts";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import { type PodFailure, podPhases } from "#shared/wire/pod/status.ts";
import { storedSecret } from "#shared/base/secrets/stored-secret.ts";
import { namesIn, removeWhole } from "./folder-entries.ts";
import { type Launch, launchName, parseLaunch } from "./launch.ts";
import { Trash } from "./trash.ts";

const text = { type: "string" } as const;

/** The members of PodStatus (shared/wire/pod/status.ts) that the platform reads. */
const statusFields = schema({
	phase: { type: "enum", values: podPhases },
	pid: { type: "number", integer: true },
	port: { type: "number", integer: true, optional: true },
	host: { ...text, optional: true },
	failure: { type: "object", props: { code: text, message: text }, optional: true },
	timings: { type: "record", key: text, value: text },
	agent_title: { ...text, optional: true },
	progress: { ...text, optional: true },
	warnings: { type: "array", items: text, optional: true },
	clones: {
		type: "array",
		items: { type: "object", props: { path: text, ms: { type: "number", integer: true, min: 0 } } },
		optional: true,
	},
	branches: { type: "array", items: { type: "object", props: { path: text, branch: text } }, optional: true },
});
export type WrittenStatus = Output<typeof statusFields>;

/** The records of one launch. */
export interface RunRecords {
	/** The status; absent until the agent has written a readable one. */
	readonly status?: WrittenStatus;
	/** The time at which the pod was asked to end, in milliseconds since 1970; NaN when it is unreadable. */
	readonly endingSince?: number;
}

const checkStatus = compileSchema(statusFields);

/**
 * The most bytes of an agent's output, which is emptied when it gets larger: it serves the analysis of failures and is
 * no record.
 */
const maxLogBytes = 4 * 1_048_576;
const maxStatusBytes = 16_384;
/** The most bytes of the mark of an end, which contains a time. */
const maxMarkBytes = 64;
const endingMark = "ending";
/** The folder for temporary files in the folder of a launch. */
const temporaryFiles = "tmp";
/** The folder of the links to these folders. */
const temporaryLinks = ".tmp";
const whole = { recursive: true, force: true } as const;

const idKind = { name: ".id", form: /^[0-9a-f]{16}$/, make: () => randomBytes(8).toString("hex") };

/** The folders of one installation's launches. */
export class RunFolders {
	readonly #root: string;
	readonly #trash: Trash;

	constructor(root: string) {
		this.#root = root;
		this.#trash = new Trash(join(root, ".trash"));
	}

	/**
	 * Returns the id of this folder, which the marks of its pods name; the first call creates it. A copy of the other
	 * folders of an installation has another one. @throws {Error} when it cannot be used.
	 */
	id(): string {
		return storedSecret(dirname(this.#root), { ...idKind, folder: basename(this.#root) });
	}

	statusFile(launch: Launch): string {
		return join(this.#path(launch), "status.json");
	}

	home(launch: Launch): string {
		return join(this.#path(launch), "home");
	}

	/** The folder of the pod's secrets, which is removed before the pod is forgotten. */
	secrets(launch: Launch): string {
		return join(this.#path(launch), "secrets");
	}

	/**
	 * The folder for temporary files: a link to `tmp` in the folder of the launch. It has a short name because programs
	 * make their sockets there, whose paths have at most 107 bytes.
	 */
	temporary(launch: Launch): string {
		const name = createHash("sha256").update(launchName(launch)).digest("hex").slice(0, 12);
		return join(this.#root, temporaryLinks, name);
	}

	log(launch: Launch): string {
		return join(this.#path(launch), "agent.log");
	}

	async launches(): Promise<Launch[]> {
		const names = await namesIn(this.#root);
		return names.map(parseLaunch).filter((launch) => launch !== undefined);
	}

	/** Returns the paths of the folders of a session's launches. */
	async ofSession(sessionId: string): Promise<string[]> {
		const launches = await this.launches();
		return launches.filter((launch) => launch.sessionId === sessionId).map((launch) => this.#path(launch));
	}

	/** Creates the folder of a launch. @throws {UntrustedFileError} when its name is taken by something else. */
	async create(launch: Launch): Promise<void> {
		await mkdir(this.#path(launch), { recursive: true, mode: 0o700 }).catch(unlessTaken);
		await using folder = await UntrustedFolder.open(this.#path(launch));
		if (!folder) return;
		for (const name of [basename(this.home(launch)), temporaryFiles])
			await mkdir(folder.path(name), { recursive: true, mode: 0o700 }).catch(unlessTaken);
		const link = this.temporary(launch);
		await mkdir(dirname(link), { recursive: true, mode: 0o700 });
		await symlink(join("..", launchName(launch), temporaryFiles), link).catch(unlessTaken);
	}

	/**
	 * Reads the records; empty when the folder is none or has been replaced. @throws {Error} for a failure of the
	 * machine.
	 */
	async read(launch: Launch): Promise<RunRecords> {
		await using folder = await UntrustedFolder.open(this.#path(launch)).catch(ifUnusable(undefined));
		if (!folder) return {};
		const [status, endingSince] = await Promise.all([
			readStatus(folder.path(basename(this.statusFile(launch)))),
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
			await using folder = await UntrustedFolder.open(this.#path(launch));
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
		const crash: WrittenStatus = { phase: "failed", pid, failure, timings: {} };
		await using folder = await UntrustedFolder.open(this.#path(launch));
		if (folder) await replaceFile(folder.path(basename(this.statusFile(launch))), JSON.stringify(crash));
	}

	async trimLog(launch: Launch): Promise<void> {
		await trimUntrusted(this.log(launch), maxLogBytes);
	}

	/**
	 * Removes the secrets at once: the trash may be emptied much later. What the pod's programs have made so that it
	 * cannot be removed at once, such as folders that are too deep for a path, is left to the trash.
	 */
	async removeSecrets(launch: Launch): Promise<void> {
		await using folder = await UntrustedFolder.open(this.#path(launch)).catch(ifUnusable(undefined));
		if (!folder) return;
		const secrets = folder.path(basename(this.secrets(launch)));
		await removeWhole(secrets).catch(() => {});
	}

	async discard(launch: Launch): Promise<void> {
		await rm(this.temporary(launch), whole);
		await this.#trash.discard(this.#path(launch));
	}

	/** Finishes removals that an earlier process began. */
	emptyTrash(signal: AbortSignal): Promise<void> {
		return this.#trash.empty(signal);
	}

	/** A sentence about folders that cannot be removed; undefined when there are none. */
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
	// A process killed between creating and filling the file leaves it empty; the pod then counts as ending since 1970.
	const content = await readUntrusted(file, maxMarkBytes).catch(ifUnusable(Buffer.from("?")));
	return content && Number(content.toString("utf8"));
}

function parseStatus(content: string): WrittenStatus | undefined {
	try {
		const value: unknown = JSON.parse(content);
		return isStatus(value) ? value : undefined;
	} catch {
		// The agent replaces the file as a whole, so this content is not from the agent.
		return undefined;
	}
}

function isStatus(value: unknown): value is WrittenStatus {
	return checkStatus(value).length === 0;
}

function unlessTaken(error: NodeJS.ErrnoException): void {
	if (!["EEXIST", "ENOTDIR", "ELOOP"].includes(error.code ?? "")) throw error;
}

/** Returns a handler that replaces an unusable file of the agent by a value. */
function ifUnusable<T>(value: T): (error: unknown) => T {
	return (error) => {
		if (error instanceof UntrustedFileError) return value;
		throw error;
	};
}
