/** The event stream of one process: tails the log, owns the clients and sends heartbeats. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { randomUUID } from "node:crypto";
import type { Action } from "#shared/contracts/contract.ts";
import { type Principal, systemPrincipal } from "#shared/base/principal.ts";
import { type Caller, call } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { eventLog } from "#shared/contracts/event-log.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { type Stats, usage } from "#shared/contracts/sessions/usage.ts";
import { now } from "#shared/base/clock.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { CatchUp } from "./catch-up.ts";
import type { EventIds } from "./event-ids.ts";
import { Heartbeats } from "./heartbeats.ts";
import { LogTail } from "./log-tail.ts";
import { Snapshots } from "./snapshots.ts";
import type { ClientLimits } from "./sse-client.ts";
import { type Group, SseHub } from "./sse-hub.ts";

export interface EventStreamDependencies {
	readonly heartbeatMs: number;
	readonly maxClients: number;
	/** Seals the positions that clients are told. */
	readonly ids: EventIds;
	readonly limits?: ClientLimits;
	/** Get the delays of events, and the count of clients. Default: nobody's. */
	readonly metrics?: Metrics;
}

interface StreamBus {
	readonly caller: Caller;
	/** Whether a service that can be called now offers the action. */
	isAvailable(action: string): boolean;
	logWarning(message: string, error: unknown): void;
}

/** The timeout of reading the log, in milliseconds; the next read follows soon. */
const logTimeoutMs = 2_000;

/** The greatest age of the last read, in milliseconds, at which the stream counts as working. */
const freshMs = 10_000;

/** The longest that a heartbeat waits for its statistics, in milliseconds. */
const statsTimeoutMs = 2_000;

const tailJob = systemPrincipal("stream");

/** The stream of one process; the stream part starts, drains and stops it. */
export class EventStream {
	readonly #tail: LogTail;
	readonly #hub: SseHub;
	readonly #heartbeats: Heartbeats<Group>;
	#bus: StreamBus | undefined;

	constructor(dependencies: EventStreamDependencies) {
		const { metrics = new Metrics() } = dependencies;
		const delay = metrics.histogram("atelier_event_delay_seconds").at();
		metrics.sample("atelier_stream_clients", () => this.#hub.size);
		const tail = new LogTail(
			{
				head: () => this.#call(tailJob, eventLog.actions.head, {}, logTimeoutMs),
				read: (after, limit) => this.#call(tailJob, eventLog.actions.read, { after, limit }, logTimeoutMs),
			},
			{
				appended: (entries) => {
					this.#hub.appended(entries);
					for (const { at } of entries) delay.observe(Math.max(0, now() - at) / 1_000);
				},
				moved: (former) => this.#hub.moved(former),
				trouble: (error) => this.#warn("The event log cannot be followed as it should", error),
			},
			dependencies.ids,
		);
		const snapshots = new Snapshots(
			(principal, { limit, cursor }) =>
				this.#call(principal, sessions.actions.list, { limit, cursor, include_archived: false }),
			() => tail.position,
			dependencies.ids,
		);
		const catchUp = new CatchUp(tail, snapshots, (error) => this.#warn("The present state cannot be sent", error));
		this.#tail = tail;
		this.#hub = new SseHub({ tail, catchUp, ...dependencies });
		this.#heartbeats = new Heartbeats({
			everyMs: dependencies.heartbeatMs,
			groups: () => this.#hub.groups,
			statsOf: (principal) => this.#stats(principal),
			send: (group, stats) => this.#hub.beat(group, stats),
		});
	}

	/** Begins to tail the log; call this when the bus is connected. */
	start(bus: StreamBus): void {
		this.#bus = bus;
		this.#tail.start();
		this.#heartbeats.start();
	}

	/**
	 * Answers with the stream, which then owns the response. @throws {UnavailableError} when there are too many
	 * clients.
	 */
	open(request: IncomingMessage, response: ServerResponse, principal: Principal): void {
		this.#hub.open(request, response, principal);
	}

	/** Reads the log because it is said to have reached this number. */
	hint(seq: number): void {
		this.#tail.hint(seq);
	}

	/** Reads the log because services have appeared or disappeared. */
	lookAgain(): void {
		this.#tail.lookAgain();
	}

	/** Resolves when clients get new events in time; rejects otherwise. */
	async check(): Promise<void> {
		if (this.#tail.ageMs > freshMs) throw new Error(`the event log was not read for ${freshMs} ms`);
	}

	/** Ends all clients' streams in order. */
	drain(): Promise<void> {
		return this.#hub.drain();
	}

	/** Stops tailing; a heartbeat under way then has no receivers. */
	stop(): void {
		this.#heartbeats.stop();
		this.#tail.stop();
		this.#hub.close();
	}

	/** Returns the statistics; undefined on failure, because the heartbeat is sent without them too. */
	#stats(principal: Principal): Promise<Stats | undefined> {
		return this.#call(principal, usage.actions.stats, {}, statsTimeoutMs).catch(() => undefined);
	}

	async #call<I, R>(principal: Principal, action: Action<I, unknown, R>, params: NoInfer<I>, timeout?: number) {
		if (!this.#bus?.isAvailable(action.name)) throw new UnavailableError(`No service offers "${action.name}"`);
		const meta = { request_id: randomUUID(), principal: vouch(principal) };
		return call(this.#bus.caller, action, params, { meta, ...(timeout !== undefined && { timeout }) });
	}

	#warn(message: string, error: unknown): void {
		this.#bus?.logWarning(message, error);
	}
}
