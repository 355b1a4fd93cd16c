/**
 * The command `stop`. Its answer waits for a moment until the pod has ended, because a client that gets `stopped` may
 * start the session again at once. Only the answer waits; other changes of the session do not.
 */
import { bound } from "#shared/base/bounds.ts";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import { principalKey } from "#shared/base/principal.ts";
import { monotonic, now, sleep } from "#shared/base/clock.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { completedAnswer } from "./command-answers.ts";
import type { Commander } from "./commander.ts";
import type { SessionRecord } from "../record/session-change.ts";
import type { SessionCommands } from "./session-commands.ts";
import type { SessionRecords } from "../record/session-records.ts";

const defaultPatienceMs = 5_000;
/** The time between the end of a wait and the deadline of the request, in milliseconds. */
const answerMs = 500;
/**
 * The first interval of checks in milliseconds. Intervals grow, because a pod that does not end at once may summarise
 * for many seconds.
 */
const firstLookMs = 20;
const rarestLookMs = 250;

/** The waiting answers of this process; `release` ends all waits. */
export class SessionStops {
	readonly #commands: Pick<SessionCommands, "run">;
	readonly #records: Pick<SessionRecords, "get" | "annotate">;
	readonly #patienceMs: number;
	readonly #waits = new FairQueue({ atOnce: bound.stopWaits, share: bound.stopWaitsOfOne });
	readonly #released = new AbortController();

	/** @param options.patienceMs The longest wait in milliseconds; default 5,000. */
	constructor(
		commands: Pick<SessionCommands, "run">,
		records: Pick<SessionRecords, "get" | "annotate">,
		options: { readonly patienceMs?: number } = {},
	) {
		this.#commands = commands;
		this.#records = records;
		this.#patienceMs = options.patienceMs ?? defaultPatienceMs;
	}

	/**
	 * Stops a session; resolves to the session when it is no longer `stopping`, or to its state after 5 s.
	 * @throws {ConflictError} when it cannot be stopped in its status; {NotFoundError}.
	 */
	async stop(commander: Commander, id: string): Promise<Session> {
		const { principal, key, deadline } = commander;
		const stopping = await this.#commands.run(commander, "stop", id);
		const who = principalKey(principal);
		// An answer beyond the bounds is given at once.
		const answer = this.#waits.isFree(who)
			? await this.#waits.run(who, () => this.#stopped(commander, stopping))
			: stopping;
		return key === undefined ? answer : this.#finalAnswer({ principal, key, deadline }, answer);
	}

	/** Gives all waiting answers now, because the platform ends. */
	release(): void {
		this.#released.abort();
	}

	/** Returns the final answer, which all concurrent and later repetitions of the command get. */
	async #finalAnswer({ principal, key = "", deadline }: Commander, answer: Session): Promise<Session> {
		const complete = (record: SessionRecord) => {
			const { counts, answers } = completedAnswer(record, { command: "stop", principal, key, answer });
			return { result: counts, columns: answers && { set: { answers } } };
		};
		const counting = await this.#records.annotate(principal, answer.id, complete, { deadline }).catch(unlessGone);
		return counting ?? answer;
	}

	/** Returns the session when it is no longer `stopping`; its last known state when it is deleted or the wait is over. */
	async #stopped({ principal, deadline = Infinity }: Commander, stopping: Session): Promise<Session> {
		const until = monotonic() + Math.min(this.#patienceMs, deadline - now() - answerMs);
		const { signal } = this.#released;
		let session = stopping;
		for (let pause = firstLookMs; session.status === "stopping"; pause = Math.min(pause * 1.5, rarestLookMs)) {
			const remaining = until - monotonic();
			if (remaining <= 0 || signal.aborted) break;
			await sleep(Math.min(pause, remaining), signal);
			const record = await this.#records.get(principal, session.id).catch(unlessGone);
			if (!record) break;
			session = record.session;
		}
		return session;
	}
}

function unlessGone(error: unknown): undefined {
	if (!(error instanceof NotFoundError)) throw error;
}
