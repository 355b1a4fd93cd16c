/**
 * `stop` is a command like the others whose answer waits a moment for the pod to end: who is told `stopped` may start the
 * session again at once. Only the answer waits; the session's line of changes does not.
 */
import { type Principal, principalKey } from "#shared/bus/principal.ts";
import { monotonic, now, sleep } from "#shared/clock.ts";
import type { Session } from "#shared/contracts/session-resource.ts";
import { NotFoundError } from "#shared/errors.ts";
import { completedAnswer } from "./command-answers.ts";
import type { Commander } from "./commander.ts";
import type { SessionRecord } from "../record/session-change.ts";
import type { SessionCommands } from "./session-commands.ts";
import type { SessionRecords } from "../record/session-records.ts";

const defaultPatienceMs = 5_000;
/** Between the end of a wait and the moment at which nobody waits for the answer any more. */
const answerMs = 500;
/** Looks grow rarer: a pod that is not gone soon may sum up for many seconds. */
const firstLookMs = 20;
const rarestLookMs = 250;
/** Answers that wait at a time; further ones are given at once. Few beside the calls of one action that run at once (256). */
const maxWaitingOfOne = 8;
const maxWaiting = 64;

export class SessionStops {
	readonly #commands: Pick<SessionCommands, "run">;
	readonly #records: Pick<SessionRecords, "get" | "annotate">;
	readonly #patienceMs: number;
	readonly #waiting = new Map<string, number>();
	readonly #released = new AbortController();

	/** @param options.patienceMs Longest wait; default 5,000. */
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
	 * The session when it is `stopping` no more, or after 5 s as it is then.
	 * @throws {ConflictError} when it cannot be stopped in its status; {NotFoundError}.
	 */
	async stop(commander: Commander, id: string): Promise<Session> {
		const { principal, key, deadline } = commander;
		const stopping = await this.#commands.run(commander, "stop", id);
		const answer = (await this.#inPlace(principal, () => this.#left(commander, stopping))) ?? stopping;
		return key === undefined ? answer : this.#settled({ principal, key, deadline }, answer);
	}

	/** The platform ends: every answer that waits is given now. */
	release(): void {
		this.#released.abort();
	}

	/** Whoever repeats the command at the same time, or later, gets the same answer. */
	async #settled({ principal, key = "", deadline }: Commander, answer: Session): Promise<Session> {
		const complete = (record: SessionRecord) => {
			const { counts, kept } = completedAnswer(record, { command: "stop", key, answer });
			return { result: counts, columns: kept && { set: { answers: kept } } };
		};
		const counting = await this.#records.annotate(principal, answer.id, complete, { deadline }).catch(unlessGone);
		return counting ?? answer;
	}

	/** What `wait` gives; undefined at once when too many wait. */
	async #inPlace<T>(principal: Principal, wait: () => Promise<T>): Promise<T | undefined> {
		const who = principalKey(principal);
		const own = this.#waiting.get(who) ?? 0;
		const all = this.#waiting.values().reduce((sum, count) => sum + count, 0);
		if (own >= maxWaitingOfOne || all >= maxWaiting) return undefined;
		this.#waiting.set(who, own + 1);
		try {
			return await wait();
		} finally {
			const left = (this.#waiting.get(who) ?? 1) - 1;
			if (left > 0) this.#waiting.set(who, left);
			else this.#waiting.delete(who);
		}
	}

	/** The session once it has left `stopping`; the newest seen of it when it is deleted or the wait is over. */
	async #left({ principal, deadline = Infinity }: Commander, stopping: Session): Promise<Session> {
		const until = monotonic() + Math.min(this.#patienceMs, deadline - now() - answerMs);
		const { signal } = this.#released;
		let session = stopping;
		for (let pause = firstLookMs; session.status === "stopping"; pause = Math.min(pause * 1.5, rarestLookMs)) {
			const left = until - monotonic();
			if (left <= 0 || signal.aborted) break;
			await sleep(Math.min(pause, left), signal);
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
