/**
 * Writes the condition `Accepted` of templates. Several processes do so for the same objects, perhaps of two releases with two
 * sentences, so that each says the same of an object only once in a while, whatever the object has (docs/decisions/0167).
 */
import { after, monotonic, now, type Timer } from "#shared/base/clock.ts";
import { type BackoffRule, backoffMs } from "#shared/base/concurrency/backoff.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";
import type { Judgement } from "./judged-templates.ts";
import { isTold, statusOf } from "./told-status.ts";

/** The longest wait before a pass in milliseconds. It differs between processes, so that one writes and the others see it. */
const gatherMs = 400;
/** A process does not repeat its words about an object within this time, whoever has written other ones. */
const againMs = 600_000;
const pauses: BackoffRule = { firstMs: 1_000, maxMs: 600_000 };
/** An API that was started again does not know its rules at once, and refuses everybody. */
const loggedRefusals = 3;

/** Changes the status of an object. @throws {ApiError} */
type WriteStatus = (name: string, members: object, signal: AbortSignal) => Promise<unknown>;

export interface AcceptedConditionsDependencies {
	readonly write: WriteStatus;
	/** Returns what is to be said now. */
	readonly judgements: () => readonly Judgement[];
	readonly log: ServiceLog;
}

interface Said {
	readonly words: string;
	readonly at: number;
}

export class AcceptedConditions {
	readonly #dependencies: AcceptedConditionsDependencies;
	readonly #passes: SingleFlight;
	/** The last words of this process about each object, by its uid. */
	readonly #said = new Map<string, Said>();
	readonly #closing = new AbortController();
	#timer: { readonly timer: Timer; readonly at: number } | undefined;
	#isForbidden = false;
	/** The failures and the refusals for want of the right in a row. */
	#failures = 0;
	#refusals = 0;
	#hasLogged = false;

	constructor(dependencies: AcceptedConditionsDependencies) {
		this.#dependencies = dependencies;
		this.#passes = new SingleFlight(
			() => this.#pass(),
			(error) => dependencies.log.error("The conditions of templates cannot be written:", error),
		);
	}

	/** Says it soon. Many calls lead to one pass. */
	request(): void {
		if (!this.#isForbidden) this.#passIn(gatherMs * Math.random());
	}

	/** Resolves when nothing is written any more. */
	async close(): Promise<void> {
		this.#closing.abort();
		this.#timer?.timer.cancel();
		await this.#passes.settled();
	}

	/** Passes after the time, or earlier when that is planned already. */
	#passIn(ms: number): void {
		if (this.#closing.signal.aborted) return;
		const at = monotonic() + ms;
		if (this.#timer && this.#timer.at <= at) return;
		this.#timer?.timer.cancel();
		const timer = after(Math.ceil(ms), () => {
			this.#timer = undefined;
			this.#passes.request();
		});
		this.#timer = { timer, at };
	}

	async #pass(): Promise<void> {
		this.#isForbidden = false;
		const judgements = this.#dependencies.judgements();
		this.#forget(judgements);
		for (const judgement of judgements) {
			if (isTold(judgement.record.told, judgement.acceptance)) continue;
			const failure = await this.#say(judgement);
			if (failure !== undefined && this.#isReasonToPause(failure)) return;
		}
	}

	/** Returns the failure. */
	async #say({ record, acceptance }: Judgement): Promise<unknown> {
		const { name, uid, resourceVersion, told } = record;
		const words = JSON.stringify(acceptance);
		const said = this.#said.get(uid);
		const waitMs = said?.words === words ? said.at + againMs - monotonic() : 0;
		if (waitMs > 0) return this.#passIn(waitMs);
		this.#said.set(uid, { words, at: monotonic() });
		const members = { metadata: { resourceVersion }, status: statusOf(told, acceptance, now()) };
		try {
			await this.#dependencies.write(name, members, this.#closing.signal);
			this.#failures = 0;
			this.#refusals = 0;
			return undefined;
		} catch (error) {
			this.#said.delete(uid);
			return error;
		}
	}

	/**
	 * Whether the other objects have to wait, too. An object that somebody else has changed (409) comes again by the watch; one that
	 * is not found may have been deleted, or the API that was started again does not know its kind yet.
	 */
	#isReasonToPause(failure: unknown): boolean {
		if (this.#closing.signal.aborted) return true;
		const status = failure instanceof ApiError ? failure.status : undefined;
		if (status === 409) return false;
		this.#isForbidden = status === 403;
		if (this.#isForbidden) this.#logRefusal(failure);
		this.#passIn(backoffMs(++this.#failures, pauses));
		return this.#isForbidden || status === undefined || status === 429 || status >= 500;
	}

	#logRefusal(failure: unknown): void {
		if (++this.#refusals < loggedRefusals || this.#hasLogged) return;
		this.#hasLogged = true;
		this.#dependencies.log.error(
			"Templates of the cluster are offered, but the platform lacks the right to say in their status which of them are:",
			failure,
		);
	}

	/** Forgets what was said of objects that are gone. */
	#forget(judgements: readonly Judgement[]): void {
		const present = new Set(judgements.map(({ record }) => record.uid));
		for (const uid of this.#said.keys()) if (!present.has(uid)) this.#said.delete(uid);
	}
}
