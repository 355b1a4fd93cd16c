/**
 * Knows when the engine, or the whole machine, was stopped, so that a container that ended with it is told from one that ended by
 * itself. An engine ends its connections before its containers; what it found ended at its next start has the time of that start.
 */
import { uptime } from "node:os";
import { machineTime } from "#shared/base/clock.ts";
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

	/** Learns that the engine has ended a connection that it keeps while it works. */
	lost(): void {
		if (this.#keepsContainers || (this.#stops.length > 0 && this.#stops.at(-1)?.until === undefined)) return;
		this.#stops.push({ from: machineTime() });
		if (this.#stops.length > maxRemembered) this.#stops.shift();
	}

	/** Whether a container that has ended ended with the engine, or before the machine was started. */
	ended({ State }: InspectedContainer): boolean {
		const bootedAt = machineTime() - uptime() * 1_000;
		if (Date.parse(State.StartedAt) < bootedAt - slackMs) return true;
		const finishedAt = Date.parse(State.FinishedAt);
		return this.#stops.some(
			({ from, until = Infinity }) => finishedAt >= from - slackMs && finishedAt <= until + slackMs,
		);
	}
}
