/**
 * What is on disk about the pods of this machine: one folder for each launch, `run/<session id>-g<generation>`, with
 * the status the agent writes, its output, its home, and a mark once it was asked to end.
 */
import { mkdir, open, readdir, readFile, rename, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Output, schema } from "#shared/bus/schema.ts";
import { compileSchema } from "#shared/bus/validator.ts";
import { now } from "#shared/clock.ts";
import { podPhases } from "#shared/pod/status.ts";
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
	/** Milliseconds since 1970 at which it was asked to end. */
	readonly endingSince?: number;
}

const checkStatus = compileSchema(statusFields);

/** Output of an agent is a help in trouble, not a record: it begins anew when it gets larger. */
const maxLogBytes = 4 * 1_048_576;
const maxStatusBytes = 16_384;

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

	async create(launch: Launch): Promise<void> {
		await mkdir(this.home(launch), { recursive: true, mode: 0o700 });
	}

	async read(launch: Launch): Promise<RunRecords> {
		const [status, endingSince] = await Promise.all([this.#status(launch), this.#endingSince(launch)]);
		return { ...(status && { status }), ...(endingSince !== undefined && { endingSince }) };
	}

	/** Keeps the first time. */
	async markEnding(launch: Launch): Promise<void> {
		await this.create(launch);
		await writeFile(this.#endingFile(launch), String(now()), { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
			if (codeOf(error) !== "EEXIST") throw error;
		});
	}

	/** Says in the place of an agent that died without a word why it is gone; one that spoke is left alone. */
	async recordCrash(launch: Launch, pid: number, message: string): Promise<void> {
		const { status, endingSince } = await this.read(launch);
		if (status || endingSince !== undefined) return;
		const crash: WrittenStatus = { phase: "failed", pid, failure: { code: "AGENT_CRASHED", message }, timings: {} };
		const draft = `${this.statusFile(launch)}.crash`;
		await writeFile(draft, JSON.stringify(crash), { mode: 0o600 });
		await rename(draft, this.statusFile(launch));
	}

	async trimLog(launch: Launch): Promise<void> {
		const { size } = await stat(this.log(launch)).catch(ifMissing({ size: 0 }));
		if (size > maxLogBytes) await truncate(this.log(launch), 0);
	}

	discard(launch: Launch): Promise<void> {
		return this.#trash.discard(this.#path(launch));
	}

	/** Finishes what an earlier process began to remove. */
	emptyTrash(): Promise<void> {
		return this.#trash.empty();
	}

	#path(launch: Launch): string {
		return join(this.#root, launchName(launch));
	}

	#endingFile(launch: Launch): string {
		return join(this.#path(launch), "ending");
	}

	async #endingSince(launch: Launch): Promise<number | undefined> {
		const content = await readFile(this.#endingFile(launch), "utf8").catch(ifMissing(undefined));
		// A kill between making and filling the file leaves it empty: then it has been ending since 1970.
		return content === undefined ? undefined : Number(content);
	}

	async #status(launch: Launch): Promise<WrittenStatus | undefined> {
		const file = await open(this.statusFile(launch)).catch(ifMissing(undefined));
		if (!file) return undefined;
		try {
			const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(maxStatusBytes) });
			return parseStatus(buffer.toString("utf8", 0, bytesRead));
		} finally {
			await file.close();
		}
	}
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
		if (codeOf(error) === "ENOENT") return value;
		throw error;
	};
}

function codeOf(error: unknown): unknown {
	return error instanceof Error && "code" in error ? error.code : undefined;
}
