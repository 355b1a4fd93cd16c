/** Follows one session on the event stream, and lets a job wait for its states. */
import { deadline, sleep } from "#shared/base/clock.ts";
import type { StreamEvent } from "./event-stream.ts";
import { PlatformError } from "./platform-client.ts";

/** The members of a session that the demo reads. */
export interface SessionView {
	id: string;
	status: string;
	status_reason: { code: string; message: string } | null;
	error: string | null;
}

/** The followed events; the watch ends with the stream. */
export class SessionWatch {
	readonly #seen: { event: string; session: Partial<SessionView> }[] = [];
	#ended: string | undefined;
	#wake: AbortController = new AbortController();

	/** Begins to read the stream in the background, until the stream ends. */
	constructor(events: AsyncIterable<StreamEvent>) {
		this.#follow(events).then(
			() => this.#end("the platform closed it"),
			(error: unknown) => this.#end(error instanceof Error ? error.message : String(error)),
		);
	}

	/**
	 * Resolves when the session has had this status, counted from the `after`th event on.
	 * @throws {PlatformError} when the session fails, when the stream ends, or after `withinMs`.
	 */
	async status(
		id: string,
		status: string,
		{ withinMs, after = 0 }: { withinMs: number; after?: number },
	): Promise<void> {
		await this.#until(`the session is ${status}`, withinMs, () => {
			const views = this.#seen.slice(after).flatMap(({ session }) => (session.id === id ? [session] : []));
			const failed = views.find((view) => view.status === "failed");
			if (failed && status !== "failed") throw new PlatformError(`The session failed: ${reasonOf(failed)}`);
			return views.some((view) => view.status === status);
		});
	}

	/** Resolves when the session is deleted. @throws {PlatformError} as {@link status} does. */
	async deleted(id: string, withinMs: number): Promise<void> {
		await this.#until("the session is deleted", withinMs, () =>
			this.#seen.some(({ event, session }) => event === "session_deleted" && session.id === id),
		);
	}

	/** The count of events so far. */
	get count(): number {
		return this.#seen.length;
	}

	async #until(what: string, withinMs: number, holds: () => boolean): Promise<void> {
		const limit = deadline(withinMs);
		while (!holds()) {
			if (this.#ended !== undefined) throw new PlatformError(`The event stream ended (${this.#ended})`);
			if (limit.aborted) throw new PlatformError(`Nothing on the event stream says within ${withinMs} ms that ${what}`);
			await sleep(250, this.#wake.signal);
		}
	}

	async #follow(events: AsyncIterable<StreamEvent>): Promise<void> {
		for await (const { event, data } of events) {
			const session: Partial<SessionView> = JSON.parse(data);
			this.#seen.push({ event, session });
			this.#notify();
		}
	}

	#end(reason: string): void {
		this.#ended = reason;
		this.#notify();
	}

	#notify(): void {
		this.#wake.abort();
		this.#wake = new AbortController();
	}
}

function reasonOf({ status_reason, error }: Partial<SessionView>): string {
	return status_reason ? `${status_reason.message} (${status_reason.code})` : (error ?? "no reason given");
}
