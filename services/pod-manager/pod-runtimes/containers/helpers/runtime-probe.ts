/**
 * Proves before the first session that the engine confines containers as it is told: one short container gets every switch of a
 * session, the engine's description of it is compared with what was asked, and it reads from inside what the kernel says. The
 * proof is kept in the data folder for the same engine, image and settings, so that a start does not repeat it.
 */
import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "#shared/base/files/replaced-file.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import { StartError } from "#shared/base/start-error.ts";
import { ConfigError } from "#shared/config/config.ts";
import { confinement } from "../container-request.ts";
import type { ContainersSettings } from "../containers-options.ts";
import { EngineAway, type EngineClient, EngineRefusal } from "../engine-client.ts";
import type { FilterCheck } from "../filter/filter-check.ts";
import { absentEngine, absentImage } from "../reasons/absent-engine.ts";
import { desktopEngine } from "../reasons/desktop-engine.ts";
import { differences, probeCommand } from "./probe-findings.ts";
import type { ShortContainers } from "./short-containers.ts";

const notFound = 404;
/** A change of this module that older proofs do not cover has another number. */
const version = 1;
/** Two digests in hexadecimal, and the space between them. */
const proofBytes = 129;
const probeMs = 20_000;

/** The parts that a probe works with. */
export interface RuntimeProbeDependencies {
	readonly engine: EngineClient;
	readonly short: ShortContainers;
	readonly settings: ContainersSettings;
	/** Says who answers at the socket. */
	readonly filter: FilterCheck;
	/** The file that keeps the proof; it may be removed at any time. */
	readonly file: string;
}

/** The probe of one runtime. */
export class RuntimeProbe {
	readonly #dependencies: RuntimeProbeDependencies;

	constructor(dependencies: RuntimeProbeDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * @returns Sentences about what this engine cannot do.
	 * @throws {SettingError} for an engine that does not confine, and a filter of something else; {StartError} for what is missing, with what to do; {EngineAway} for an engine that was proven before and is away now.
	 */
	async prove(signal?: AbortSignal): Promise<readonly string[]> {
		const kept = await this.#kept();
		const socket = digest(this.#dependencies.settings.socket);
		const wasProven = kept?.startsWith(socket) === true;
		const front = await this.#asked(wasProven, () => this.#dependencies.filter.examine(signal));
		const info = await this.#asked(wasProven, () => this.#info(signal));
		const proven = provenBy(this.#dependencies.settings, text(info, "ID"), await this.#imageId(signal));
		const proof = `${socket} ${digest(proven)}`;
		if (kept !== proof) {
			await this.#probe(signal);
			await this.#keep(proof);
		}
		const desktop = desktopEngine(this.#dependencies.settings.socket, info);
		return [
			...shortcomings(info),
			...(desktop === undefined ? [] : [desktop]),
			...(front === "engine" ? rootShortcoming(info) : []),
		];
	}

	async #asked<Answer>(wasProven: boolean, ask: () => Promise<Answer>): Promise<Answer> {
		try {
			return await ask();
		} catch (error) {
			if ((error instanceof EngineAway && wasProven) || error instanceof StartError) throw error;
			throw unreachable(this.#dependencies.settings.socket, error);
		}
	}

	async #info(signal?: AbortSignal): Promise<unknown> {
		return (await this.#dependencies.engine.call({ method: "GET", path: "/info", signal })).body;
	}

	async #imageId(signal?: AbortSignal): Promise<string> {
		const { engine, settings } = this.#dependencies;
		const { image } = settings;
		const { status, body } = await engine.call({
			method: "GET",
			path: `/images/${image}/json`,
			accepts: [notFound],
			signal,
		});
		if (status !== notFound) return text(body, "Id");
		throw new StartError(absentImage(settings));
	}

	async #probe(signal?: AbortSignal): Promise<void> {
		const { short, settings } = this.#dependencies;
		const { user, limits, image, socket } = settings;
		const request = {
			Image: image,
			User: `${user}:${user}`,
			Entrypoint: [],
			Cmd: probeCommand,
			HostConfig: confinement(settings),
		};
		const { inspected, output, exitCode } = await short
			.run({ kind: "probe", task: "switches", request, signal, withinMs: probeMs })
			.catch((error: unknown) => {
				throw error instanceof EngineRefusal ? unusable(socket, error.message, error) : error;
			});
		if (exitCode !== 0) throw unusable(socket, `the image "${image}" cannot run "cat": ${output.slice(0, 200)}`);
		const missing = differences({ user, limits }, inspected, output);
		if (missing.length === 0) return;
		const named = missing.map(({ what, asked, got }) => `${what} (asked for ${asked}, got ${got})`).join("; ");
		throw new ConfigError(
			`The container engine at "${socket}" does not confine sessions as it was told: ${named}. Use an engine that does: Docker, or ` +
				"rootless Podman on control groups v2; a rootless engine needs the controllers cpu, memory and pids delegated to its user",
		);
	}

	/** Returns the proof of an earlier start. */
	async #kept(): Promise<string | undefined> {
		const content = await readUntrusted(this.#dependencies.file, proofBytes).catch(() => undefined);
		return content?.toString("utf8");
	}

	async #keep(proof: string): Promise<void> {
		const { file } = this.#dependencies;
		await mkdir(dirname(file), { recursive: true, mode: 0o700 });
		await replaceFile(file, proof);
	}
}

function provenBy({ image, user, limits }: ContainersSettings, engineId: string, imageId: string): string {
	return JSON.stringify([version, engineId, image, imageId, user, limits]);
}

function digest(content: string): string {
	return createHash("sha256").update(content).digest("hex");
}

function shortcomings(info: unknown): string[] {
	const isKept = info instanceof Object && "LiveRestoreEnabled" in info && info.LiveRestoreEnabled === true;
	return [
		...(isKept
			? []
			: [
					'All running sessions end when the container engine is restarted: set "live-restore": true in its configuration (/etc/docker/daemon.json), so that they go on',
				]),
		"The container engine does not bound the files of a workspace: when the disk gets short, the largest sessions are stopped (disk.low_mb)",
	];
}

/** A rootless engine is not root. */
function rootShortcoming(info: unknown): string[] {
	const options: unknown = Object(info).SecurityOptions;
	if (Array.isArray(options) && options.includes("name=rootless")) return [];
	return [
		"The platform may do everything at the container engine, which makes it root on this machine: put the filter before the engine's socket (npm run engine-filter), or use a rootless engine",
	];
}

function unreachable(socket: string, error: unknown): StartError {
	const absent = absentEngine(socket, error);
	if (absent !== undefined) return new StartError(absent, { cause: error });
	return unusable(socket, error instanceof Error ? error.message : String(error), error);
}

function unusable(socket: string, reason: string, cause?: unknown): StartError {
	return new StartError(`Sessions cannot run at the container engine at "${socket}": ${reason}`, { cause });
}

/** Returns a member of an engine's answer; empty when there is none. */
function text(answer: unknown, name: string): string {
	const value: unknown = answer instanceof Object ? Reflect.get(answer, name) : undefined;
	return typeof value === "string" ? value : "";
}
