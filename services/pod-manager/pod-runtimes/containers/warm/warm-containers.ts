/**
 * Containers that were created and started ahead of sessions, with an agent that waits (docs/decisions/0164). They have the image and
 * the bounds of a session that asks for nothing else, are nobody's, and end with this process.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { sleep } from "#shared/base/clock.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { readUntrustedEnd } from "#shared/base/files/untrusted-file.ts";
import { aborted } from "#shared/base/concurrency/aborted.ts";
import { oneLine } from "#shared/base/one-line.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { type WaitingKind, WaitingPool } from "../../machine/waiting-pool.ts";
import { containerEnvironment } from "../container-environment.ts";
import { agentLog, warmRequest } from "../container-request.ts";
import type { ContainersSettings } from "../containers-options.ts";
import { EngineRefusal } from "../engine-client.ts";
import { lastLines } from "../helpers/engine-log.ts";
import type { SessionImages } from "../images/session-images.ts";
import { launchLimits } from "../launches/launch-limits.ts";
import { OrphanedContainers } from "./orphaned-containers.ts";
import { WarmChannel } from "./warm-channel.ts";
import { WarmContainer } from "./warm-container.ts";
import type { WarmEngine } from "./warm-engine.ts";
import type { WarmFolders, WarmPlaces } from "./warm-folders.ts";

/** The time in which an agent has to be loaded, in milliseconds: it takes one second, and some on a busy machine. */
const loadedMs = 30_000;
const maxLogBytes = 4_096;
const maxSaid = 300;

export interface WarmContainersDependencies {
	readonly installation: string;
	readonly settings: ContainersSettings;
	readonly engine: WarmEngine;
	readonly folders: WarmFolders;
	readonly images: Pick<SessionImages, "ownId">;
	/** Proves before the first container that the engine confines containers. */
	readonly ensureProof: (signal: AbortSignal) => Promise<void>;
	readonly metrics: Metrics;
}

/** Owns the warm containers of one process. */
export class WarmContainers implements WaitingKind<WarmContainer> {
	readonly #dependencies: WarmContainersDependencies;
	readonly #orphaned: OrphanedContainers;
	readonly #pool: WaitingPool<WarmContainer>;
	/** The names of those that this process starts, has, or gives to a session. */
	readonly #own = new Set<string>();
	#tending: Promise<void> = Promise.resolve();

	constructor(dependencies: WarmContainersDependencies) {
		const { engine, folders, settings, metrics } = dependencies;
		this.#dependencies = dependencies;
		this.#orphaned = new OrphanedContainers(engine, folders);
		this.#pool = new WaitingPool(this, settings.warm);
		metrics.sample("atelier_warm_containers", async () => [{ labels: [], value: this.#pool.size }]);
	}

	/** Maintains them until the signal aborts, and removes those of processes that are gone. */
	keep(signal: AbortSignal): void {
		this.#tending = this.#orphaned.tend(signal);
		if (this.#dependencies.settings.warm > 0) this.#pool.keep(signal);
	}

	/** A sentence about containers that cannot be started or removed; undefined when all is well. */
	get trouble(): string | undefined {
		const { failure } = this.#pool;
		if (failure !== undefined)
			return `No container can be kept warm for the next session, which starts without one: ${sentenceOf(failure)}`;
		const { failure: orphaned } = this.#orphaned;
		return orphaned === undefined
			? undefined
			: `Cannot remove warm containers that nobody has: ${sentenceOf(orphaned)}`;
	}

	/** Whether a container is this process's own. */
	isOwn(name: string): boolean {
		return this.#own.has(name);
	}

	/** Resolves to a container for a session, which the caller lets go or ends; undefined when none waits. */
	async take(signal?: AbortSignal): Promise<WarmContainer | undefined> {
		if (this.#pool.size === 0) {
			// A session is being created, so this is no time to start one.
			return this.#pool.take();
		}
		const imageId = await this.#dependencies.images.ownId(signal);
		const { first } = this.#pool;
		if (first === undefined || first.imageId === imageId) return this.#pool.take();
		// The name is that of a newer image, so the others are too old as well.
		this.#pool.replaceAll();
		return undefined;
	}

	/** Resolves after the signal has aborted, when nothing is under way. */
	async close(): Promise<void> {
		await Promise.all([this.#pool.close(), this.#tending]);
	}

	async start(signal: AbortSignal): Promise<WarmContainer> {
		const { engine, folders, images, ensureProof } = this.#dependencies;
		await ensureProof(signal);
		const imageId = await images.ownId(signal);
		this.#orphaned.request();
		const name = randomBytes(8).toString("hex");
		await using opening = new AsyncDisposableStack();
		this.#own.add(name);
		opening.defer(() => void this.#own.delete(name));
		/** Whether they are certainly no session's, and will not be. */
		let mayRemoveFolders = true;
		opening.defer(async () => void (mayRemoveFolders && (await folders.remove(name))));
		const places = await folders.make(name);
		const channel = opening.use(await WarmChannel.listen(places.platform));
		failpoint("containers.warm-before-create");
		// A container that is not there may have got a session meanwhile, or may still be created; a later sweep knows.
		mayRemoveFolders = false;
		opening.defer(async () => void (mayRemoveFolders ||= await engine.remove(name)));
		await engine.create(name, this.#requestFor(name, places), signal).catch((error: unknown) => {
			mayRemoveFolders = error instanceof EngineRefusal;
			throw error;
		});
		failpoint("containers.warm-created");
		await engine.start(name, signal);
		failpoint("containers.warm-started");
		await this.#untilLoaded(channel, places, signal);
		return new WarmContainer({ name, imageId, places }, channel, opening.move());
	}

	/** Leaves to a later removal what cannot be removed now (orphaned-containers.ts). */
	async end(container: WarmContainer): Promise<void> {
		await container.end().catch(() => {});
		this.#own.delete(container.name);
	}

	lastWords({ places }: WarmContainer): Promise<string> {
		return lastWordsIn(places.agent);
	}

	/** Gives a container to its session. */
	async letGo(container: WarmContainer): Promise<void> {
		await container.letGo();
		this.#own.delete(container.name);
	}

	#requestFor(name: string, { platform, agent, files }: WarmPlaces): object {
		const { settings, installation } = this.#dependencies;
		const { image, user } = settings;
		const limits = launchLimits({}, settings);
		const folders = { platform, agent, workspace: files, records: files };
		return warmRequest({ warm: name, installation, image, user, limits, folders, env: containerEnvironment });
	}

	async #untilLoaded(channel: WarmChannel, { agent }: WarmPlaces, signal: AbortSignal): Promise<void> {
		const waiting = new AbortController();
		const late = sleep(loadedMs, AbortSignal.any([signal, waiting.signal])).then(() => false);
		const isLoaded = await Promise.race([channel.loaded.then(() => true), late, aborted(signal).then(() => false)]);
		waiting.abort();
		signal.throwIfAborted();
		if (isLoaded) return;
		const said = await lastWordsIn(agent);
		const words = said === "" ? "" : `: ${said}`;
		throw new Error(`The agent of a container does not wait for its session after ${loadedMs / 1_000} s${words}`);
	}
}

/** Returns the end of the log of an agent. @param folder That of its socket. */
async function lastWordsIn(folder: string): Promise<string> {
	const log = await readUntrustedEnd(join(folder, agentLog), maxLogBytes).catch(() => undefined);
	return lastLines(log?.toString("utf8") ?? "", maxSaid);
}

function sentenceOf(error: unknown): string {
	return oneLine(error instanceof Error ? error.message : String(error), maxSaid);
}
