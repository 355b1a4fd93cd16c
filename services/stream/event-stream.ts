/** The event stream of one process: follows the log, knows the clients, keeps the beat. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { randomUUID } from "node:crypto";
import type { Action } from "#shared/bus/contract.ts";
import { type Principal, systemPrincipal } from "#shared/bus/principal.ts";
import { type Caller, call } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { eventLog } from "#shared/contracts/event-log.ts";
import { sessions } from "#shared/contracts/sessions.ts";
import { type Stats, usage } from "#shared/contracts/usage.ts";
import { UnavailableError } from "#shared/errors.ts";
import { RecurringJob } from "#shared/recurring-job.ts";
import { CatchUp } from "./catch-up.ts";
import { LogTail } from "./log-tail.ts";
import { Snapshots } from "./snapshots.ts";
import type { ClientLimits } from "./sse-client.ts";
import { SseHub } from "./sse-hub.ts";

export interface EventStreamOptions {
	readonly heartbeatMs: number;
	readonly maxClients: number;
	readonly limits?: ClientLimits;
}

/** What the stream needs of the bus. */
export interface StreamBus {
	readonly caller: Caller;
	/** Whether somebody who serves the action can be called now. */
	isAvailable(action: string): boolean;
	logWarning(message: string, error: unknown): void;
}

/** A log that does not answer by then is not reached; the next look comes soon. */
const logTimeoutMs = 2_000;

/** The log was read so lately when all is well. */
const freshMs = 10_000;

/** A heartbeat does not wait longer than this for the numbers that go with it. */
const statsTimeoutMs = 2_000;

const tailJob = systemPrincipal("stream");

export class EventStream {
	readonly #tail: LogTail;
	readonly #hub: SseHub;
	readonly #heartbeat: RecurringJob;
	#bus: StreamBus | undefined;

	constructor(options: EventStreamOptions) {
		const tail = new LogTail(
			{
				head: () => this.#call(tailJob, eventLog.actions.head, {}, logTimeoutMs),
				read: (after, limit) => this.#call(tailJob, eventLog.actions.read, { after, limit }, logTimeoutMs),
			},
			{
				appended: (entries) => this.#hub.appended(entries),
				moved: (former) => this.#hub.moved(former),
				trouble: (error) => this.#warn("The event log cannot be followed as it should", error),
			},
		);
		const snapshots = new Snapshots(
			(principal, { limit, cursor }) =>
				this.#call(principal, sessions.actions.list, { limit, cursor, include_archived: false }),
			() => tail.position,
		);
		const catchUp = new CatchUp(tail, snapshots, (error) => this.#warn("The present state cannot be sent", error));
		this.#tail = tail;
		this.#hub = new SseHub({ tail, catchUp, ...options });
		this.#heartbeat = new RecurringJob({
			everyMs: options.heartbeatMs,
			work: () => this.#hub.beat((principal) => this.#stats(principal)),
			onError: (error) => this.#warn("The heartbeat cannot be sent", error),
		});
	}

	/** To be called when the bus is there. */
	start(bus: StreamBus): void {
		this.#bus = bus;
		this.#tail.start();
		this.#heartbeat.start();
	}

	/** @throws {UnavailableError} when there can be no further client. */
	open(request: IncomingMessage, response: ServerResponse, principal: Principal): void {
		this.#hub.open(request, response, principal);
	}

	/** The log has reached this number, as far as somebody says. */
	hint(seq: number): void {
		this.#tail.hint(seq);
	}

	/** Services have come or gone. */
	lookAgain(): void {
		this.#tail.lookAgain();
	}

	/** Rejects when clients would not be told what happens. */
	async check(): Promise<void> {
		if (this.#tail.ageMs > freshMs) throw new Error(`the event log was not read for ${freshMs} ms`);
	}

	/** Says goodbye to all clients. */
	drain(): Promise<void> {
		return this.#hub.drain();
	}

	/** A beat under way finds nobody any more. */
	stop(): void {
		void this.#heartbeat.stop();
		this.#tail.stop();
		this.#hub.close();
	}

	/** Without numbers the heart still beats. */
	#stats(principal: Principal): Promise<Stats | undefined> {
		return this.#call(principal, usage.actions.stats, {}, statsTimeoutMs).catch(() => undefined);
	}

	async #call<I, R>(principal: Principal, action: Action<I, unknown, R>, params: NoInfer<I>, timeout?: number) {
		if (!this.#bus?.isAvailable(action.name)) throw new UnavailableError(`Nobody serves "${action.name}"`);
		const meta = { request_id: randomUUID(), principal: vouch(principal) };
		return call(this.#bus.caller, action, params, { meta, ...(timeout !== undefined && { timeout }) });
	}

	#warn(message: string, error: unknown): void {
		this.#bus?.logWarning(message, error);
	}
}
