/**
 * Knows which containers were stopped from outside, above all with the engine or the whole machine, so that they are told from those
 * that ended by themselves. An engine that is stopped asks its containers to end and tells so, as it does for everybody else who
 * asks; what it finds ended at its next start has the time of that start.
 */
import { LRUCache } from "lru-cache";
import { uptime } from "node:os";
import { machineTime } from "#shared/base/clock.ts";
import { maxRemembered as maxPods } from "../../../pod-runtime.ts";
import { type Launch } from "../../launches/launch.ts";
import { containerName } from "../container-request.ts";
import type { EngineClient } from "../engine-client.ts";
import type { InspectedContainer } from "../inspected-container.ts";

/** The stops that are remembered; older containers have been looked at long before. */
const maxRemembered = 8;
/** The difference between the times of the engine and of this process for the same event, in milliseconds. */
const slackMs = 2_000;

/** One stop. */
interface Stop {
	/** The time at which its connection ended, in milliseconds since 1970. */
	readonly from: number;
	/** The time at which it answered again; absent: it does not. */
	until?: number;
}

/** The stops that one process has noticed. */
export class EngineStops {
	readonly #engine: EngineClient;
	readonly #stops: Stop[] = [];
	/** The names of containers that the engine has asked to end. */
	readonly #asked = new LRUCache<string, true>({ max: maxPods });
	/** Whether containers outlive the engine, as it said last. */
	#keepsContainers = false;

	constructor(engine: EngineClient) {
		this.#engine = engine;
	}

	/** Learns that the engine answers, and asks it whether containers go on without it (`live-restore`). */
	async connected(): Promise<void> {
		const last = this.#stops.at(-1);
		if (last) last.until ??= machineTime();
		const info = await this.#engine.call({ method: "GET", path: "/info" }).catch(() => undefined);
		if (info) this.#keepsContainers = Object(info.body).LiveRestoreEnabled === true;
	}

	/** Learns that the engine asks a container to end. */
	asked(launch: Launch): void {
		this.#asked.set(containerName(launch), true);
	}

	/** Learns that the engine has ended a connection that it keeps while it works. */
	lost(): void {
		if (this.#keepsContainers || (this.#stops.length > 0 && this.#stops.at(-1)?.until === undefined)) return;
		this.#stops.push({ from: machineTime() });
		if (this.#stops.length > maxRemembered) this.#stops.shift();
	}

	/** Whether a container that has ended, and that the platform did not end, was stopped from outside. */
	ended({ Name, State }: InspectedContainer): boolean {
		if (this.#asked.has(Name.slice(1))) return true;
		const bootedAt = machineTime() - uptime() * 1_000;
		if (Date.parse(State.StartedAt) < bootedAt - slackMs) return true;
		const finishedAt = Date.parse(State.FinishedAt);
		return this.#stops.some(
			({ from, until = Infinity }) => finishedAt >= from - slackMs && finishedAt <= until + slackMs,
		);
	}
}
