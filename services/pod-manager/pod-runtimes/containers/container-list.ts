/** Lists the pods by the records of their launches and their containers, computed anew each time. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { machineTime } from "#shared/base/clock.ts";
import { readUntrustedEnd } from "#shared/base/files/untrusted-file.ts";
import type { Pod } from "../../pod-runtime.ts";
import { unlessMissing } from "../machine/folder-entries.ts";
import { type Launch, launchName } from "../launches/launch.ts";
import { unfinishedOf } from "../launches/launched-pods.ts";
import type { RunFolders } from "../machine/run-folders.ts";
import { containerPod } from "./container-pod.ts";
import { agentLog, documentName, label, socketFolders } from "./container-request.ts";
import type { EngineContainers } from "./engine-containers.ts";
import { lastLines } from "./helpers/engine-log.ts";
import type { InspectedContainer } from "./inspected-container.ts";
import type { EngineStops } from "./reasons/engine-stops.ts";

/** The codes of failures that are explained by the end of the log. */
const quoting = new Set(["AGENT_CRASHED", "CONTAINER_FAILED"]);

/** The part of a log that is read, in bytes, and the characters that are part of a failure. */
const [lastBytes, lastCharacters] = [4_096, 400];

/** The list of one installation's pods. It has no state. */
export class ContainerList {
	readonly #runs: RunFolders;
	readonly #containers: EngineContainers;
	readonly #stops: EngineStops;

	constructor(runs: RunFolders, containers: EngineContainers, stops: EngineStops) {
		this.#runs = runs;
		this.#containers = containers;
		this.#stops = stops;
	}

	/** Returns the pods and, as `unfinished`, the launches whose container was not created or not started, or will be. */
	async all(): Promise<{ pods: Pod[]; unfinished: Pod[] }> {
		const { launches, pods } = await this.#found(await this.#runs.launches());
		return { pods, unfinished: unfinishedOf(launches, pods) };
	}

	async ofSession(sessionId: string, signal?: AbortSignal): Promise<Pod[]> {
		return (await this.#found(await this.#runs.ofSession(sessionId), sessionId, signal)).pods;
	}

	/** Returns all launches of a session that have records or a container, also those that are no pods. */
	async launchesOf(sessionId: string, signal?: AbortSignal): Promise<Launch[]> {
		const recorded = await this.#runs.ofSession(sessionId);
		const states = await this.#containers.states(sessionId, signal);
		return distinct([...recorded, ...states.map(({ launch }) => launch)]);
	}

	/** Returns for each session, as a text, its launches and the states of their containers. */
	async glimpse(): Promise<Map<string, string>> {
		const glimpsed = new Map<string, string>();
		const add = (id: string, what: string | number) => glimpsed.set(id, `${glimpsed.get(id) ?? ""} ${what}`);
		for (const { sessionId, generation } of await this.#runs.launches()) add(sessionId, generation);
		for (const { launch, state } of await this.#containers.states()) add(launch.sessionId, state);
		return glimpsed;
	}

	/**
	 * Adds the end of the log to the failure of a pod that could not say more. No secret is in the log of a `CONTAINER_FAILED`: its
	 * agent, which fetches them, has not run. That of an `AGENT_CRASHED` has what the agent itself has written for the operator.
	 */
	async #withLastWords(pod: Pod, hasContainer: boolean): Promise<Pod> {
		const { failure } = pod;
		if (!hasContainer || !failure || !quoting.has(failure.code)) return pod;
		const said = await this.#lastWords(pod).catch(() => "");
		if (said === "" || said.includes(failure.message)) return pod;
		return { ...pod, failure: { ...failure, message: `${failure.message}: ${said}` } };
	}

	/** An engine has a log of its own for what is said before the first program writes to the agent's log. */
	async #lastWords(pod: Pod): Promise<string> {
		const log = join(this.#runs.path(pod), socketFolders.agent, agentLog);
		const end = await readUntrustedEnd(log, lastBytes).catch(() => undefined);
		const said = lastLines(end?.toString("utf8") ?? "", lastCharacters);
		return said === "" ? lastLines(await this.#containers.log(pod.name), lastCharacters) : said;
	}

	/** Its document is kept a moment before a container that waits gets a launch, and until its agent has reported. */
	async #boundAt(launch: Launch, { Config }: InspectedContainer): Promise<number | undefined> {
		if (Config.Labels?.[label.warm] === undefined) return undefined;
		return (await lstat(join(this.#runs.path(launch), documentName)).catch(unlessMissing))?.mtimeMs;
	}

	/** @param recorded The launches with records, which were read first: a pod that is made meanwhile counts as launching. */
	async #found(
		recorded: readonly Launch[],
		sessionId?: string,
		signal?: AbortSignal,
	): Promise<{ launches: Launch[]; pods: Pod[] }> {
		const listed = await this.#containers.list(sessionId, signal);
		const containers = new Map(listed.map(({ launch, container }) => [launchName(launch), container]));
		const launches = distinct([...recorded, ...listed.map(({ launch }) => launch)]);
		const circumstances = {
			at: machineTime(),
			isStoppedFromOutside: (container: InspectedContainer) => this.#stops.ended(container),
		};
		const pods = launches.map(async (launch) => {
			const container = containers.get(launchName(launch));
			const boundAt = container && (await this.#boundAt(launch, container));
			const pod = containerPod(launch, container, await this.#runs.read(launch), { ...circumstances, boundAt });
			return pod && this.#withLastWords(pod, container !== undefined);
		});
		return { launches, pods: (await Promise.all(pods)).filter((pod) => pod !== undefined) };
	}
}

function distinct(launches: readonly Launch[]): Launch[] {
	return [...new Map(launches.map((launch) => [launchName(launch), launch])).values()];
}
