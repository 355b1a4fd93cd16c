/**
 * Gives warm containers to launches (docs/decisions/0164). The engine renames the container to that of the launch: that is the one step
 * that decides, because an engine has each name once. All that follows can be repeated by every process that finds the container.
 */
import { KeyedQueues } from "#shared/base/concurrency/keyed-queues.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { containerName, label } from "../container-request.ts";
import { EngineAway, EngineRefusal } from "../engine-client.ts";
import type { EngineContainers } from "../engine-containers.ts";
import type { LaunchDoors } from "../launch-doors.ts";
import type { Launch } from "../../launches/launch.ts";
import { LaunchFailures } from "../../machine/launch-failures.ts";
import type { RunFolders } from "../../machine/run-folders.ts";
import type { SessionFolders } from "../../machine/session-folders.ts";
import type { WarmContainer } from "./warm-container.ts";
import type { WarmContainers } from "./warm-containers.ts";
import { warmContainerName } from "./warm-engine.ts";
import type { WarmFolders, WarmPlaces } from "./warm-folders.ts";

export interface WarmBindingsDependencies {
	readonly warm: WarmContainers;
	readonly folders: WarmFolders;
	readonly containers: EngineContainers;
	readonly doors: LaunchDoors;
	readonly runs: RunFolders;
	readonly sessions: SessionFolders;
}

export class WarmBindings {
	readonly #dependencies: WarmBindingsDependencies;
	readonly #unfinished = new LaunchFailures(
		(count) => `Cannot bring the folders of ${count} warm container(s) to their sessions`,
		containerName,
	);
	/** A second attempt would close the door that the first one has opened. */
	readonly #finishing = new KeyedQueues();

	constructor(dependencies: WarmBindingsDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Makes a warm container that of a launch, whose records are kept and which has no folders yet. Whether there was one.
	 * @throws {EngineAway} when nobody knows whether it is: the next pass finds it, or begins again.
	 */
	async bind(launch: Launch, signal?: AbortSignal): Promise<boolean> {
		const { warm } = this.#dependencies;
		const container = await warm.take(signal);
		if (!container) return false;
		try {
			signal?.throwIfAborted();
			const isBound = await this.#bindTo(launch, container);
			await (isBound ? warm.letGo(container) : warm.end(container));
			return isBound;
		} catch (error) {
			// Its agent gets no launch until it is certain whose it is. The first failure is the one to tell.
			await this.#dependencies.doors.close(launch).catch(() => {});
			await warm.end(container);
			throw error;
		}
	}

	/** A sentence about containers whose folders could not be brought to their sessions; undefined when there are none. */
	get trouble(): string | undefined {
		return this.#unfinished.trouble;
	}

	/** Finishes what a process began that was killed, or could not. @throws {Error} which {@link trouble} tells until it succeeds. */
	async finish(launch: Launch): Promise<void> {
		try {
			await this.#finishing.run(containerName(launch), () => this.#finish(launch));
			this.#unfinished.delete(launch);
		} catch (error) {
			// An engine that is away says nothing of the folders, and is told elsewhere.
			if (!(error instanceof EngineAway)) this.#unfinished.add(launch, error);
			throw error;
		}
	}

	/** Forgets all launches but those that are there: other processes remove containers, too. */
	forgetOthers(launches: readonly Launch[]): void {
		this.#unfinished.forgetOthers(launches);
	}

	async #finish(launch: Launch): Promise<void> {
		const { warm, folders, containers, doors, runs } = this.#dependencies;
		const names = (await folders.names()).filter((name) => !warm.isOwn(name));
		if (names.length === 0) return;
		const container = await containers.inspect(containerName(launch));
		const name = container?.Config.Labels?.[label.warm];
		if (name === undefined || !names.includes(name)) return;
		await doors.close(launch);
		await runs.create(launch);
		await folders.move(name, this.#placesOf(launch));
	}

	async #bindTo(launch: Launch, container: WarmContainer): Promise<boolean> {
		const { folders, doors } = this.#dependencies;
		const { name, places } = container;
		// The door moves with its folder; its agent does not ask before it is let go.
		await doors.open(launch, places.platform);
		failpoint("containers.warm-before-bind");
		if (!(await this.#rename(launch, name))) {
			await doors.close(launch);
			return false;
		}
		failpoint("containers.warm-bound");
		await folders.move(name, this.#placesOf(launch));
		failpoint("containers.warm-moved");
		return true;
	}

	/** Whether the launch has this container. An engine that refuses may have another one of that name, or not know the call. */
	async #rename(launch: Launch, name: string): Promise<boolean> {
		const { containers } = this.#dependencies;
		try {
			await containers.rename(warmContainerName(name), containerName(launch));
			return true;
		} catch (error) {
			if (!(error instanceof EngineRefusal)) throw error;
			const found = await containers.inspect(containerName(launch));
			return found?.Config.Labels?.[label.warm] === name;
		}
	}

	#placesOf(launch: Launch): WarmPlaces {
		const { doors, sessions } = this.#dependencies;
		return { ...doors.foldersOf(launch), files: sessions.whole(launch.sessionId) };
	}
}
