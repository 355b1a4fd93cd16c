/**
 * Reconciles pods with their desired states: claims due sessions from the sessions service and runs a pass over each.
 * It polls every second; hints only make it poll sooner, so a lost hint does no harm.
 */
import { bound } from "#shared/base/bounds.ts";
import { after, monotonic, sleep, type Timer } from "#shared/base/clock.ts";
import type { Claim, ObservedPhase, PassReport } from "#shared/contracts/sessions/session-work.ts";
import { Tally } from "#shared/base/concurrency/tally.ts";
import { InvalidParametersError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { personKey } from "#shared/base/principal.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { PassMetrics } from "./pass-metrics.ts";
import { WakeUp } from "./wake-up.ts";
import { type PassDependencies, runPass } from "./pass.ts";
import { maxRemembered } from "../pod-runtime.ts";
import { SessionMap } from "../session-map.ts";
import { PodRefused } from "../pod-refused.ts";
import { DeduplicatingLog, sentenceOf } from "../deduplicating-log.ts";

const pollMs = 1_000;
/** The longest pause between failing polls, in milliseconds; pauses grow up to it. */
const failingPollMs = 4_000;
/** The greatest age of the last answered poll, in milliseconds, at which the reconciler counts as working. */
const freshMs = 10_000;

/** How much later a pod manager looks at a changed session that it has not looked after, in milliseconds. */
const elsewhereMs = 500;

/** The passes under way, by the key of the owner of their sessions. */
export type UnderWay = Readonly<Record<string, number>>;

/** The actions of the sessions service that passes begin and end with. */
export interface Work {
	/**
	 * Claims due sessions, so many of one owner that `bound.passesOfOne` of them are worked on; with `ids`, those sessions,
	 * whether due or not.
	 */
	claim(limit: number, ids: string[] | undefined, underWay: UnderWay): Promise<Claim[]>;
	/** Reports the outcome of a pass; false when a newer lease exists. */
	observe(report: PassReport): Promise<boolean>;
}

interface Pass {
	/** The key of the owner of its session. */
	readonly owner: string;
	readonly ended: Promise<void>;
}

/** The reconciler of one process. The pod manager stops it. */
export class Reconciler {
	readonly #dependencies: PassDependencies;
	readonly #work: Work;
	readonly #log: DeduplicatingLog;
	readonly #measured: PassMetrics;
	readonly #wakeUp = new WakeUp();
	readonly #stopping = new AbortController();
	/** The passes by session; there are never two over the same session. */
	readonly #passes = new Map<string, Pass>();
	/** Sessions whose pods have changed since they were last claimed. */
	readonly #changed = new Set<string>();
	/** The owners of sessions that had a pod in their last pass; sessions of an earlier process count as those of one owner. */
	readonly #owners = new SessionMap<string>();
	/** Changed sessions of which this process has made no pass yet, and when they are looked at. */
	readonly #elsewhere = new Set<string>();
	#laterLook: Timer | undefined;
	readonly #loop: Promise<void>;
	/** Whether more sessions may be due than were claimed. */
	#backlog = false;
	#failures = 0;
	/** The monotonic times of the last answered poll and of the last poll. */
	#askedAt = -Infinity;
	#triedAt = -Infinity;

	/** Starts at once. @param write Receives a sentence for every new kind of failure. */
	constructor(
		dependencies: PassDependencies,
		work: Work,
		write: (sentence: string) => void,
		metrics: Metrics = new Metrics(),
	) {
		this.#dependencies = dependencies;
		this.#measured = new PassMetrics(metrics, () => monotonic() - this.#askedAt);
		this.#work = work;
		this.#log = new DeduplicatingLog(write);
		dependencies.runtime.watch((sessionId) => this.look(sessionId), this.#stopping.signal);
		this.#wakeUp.signal();
		this.#loop = this.#run();
	}

	/** Polls now, because a session may be due. */
	hint(): void {
		this.#wakeUp.signal();
	}

	/**
	 * Requests a pass over a session, due or not, because its pods may have changed. Of several pod managers, the one that makes or made
	 * its last pass sees the change too: the others come later, and once for all changes until then.
	 */
	look(sessionId: string): void {
		if (this.#passes.has(sessionId) || this.#owners.has(sessionId)) return this.#lookNow(sessionId);
		this.#elsewhere.add(sessionId);
		this.#laterLook ??= after(elsewhereMs, () => this.#lookElsewhere());
	}

	#lookNow(sessionId: string): void {
		this.#remember(sessionId);
		this.#wakeUp.signal();
	}

	#lookElsewhere(): void {
		this.#laterLook = undefined;
		const ids = [...this.#elsewhere];
		this.#elsewhere.clear();
		for (const id of ids) this.#remember(id);
		this.#wakeUp.signal();
	}

	/** Forgets all other sessions: another pod manager may have made the last pass over one. @param ids The sessions that have pods. */
	keepOnly(ids: ReadonlySet<string>): void {
		this.#owners.keepOnly(ids);
	}

	/** Resolves when due sessions were polled recently; rejects otherwise, because commands are then not carried out. */
	async check(): Promise<void> {
		if (monotonic() - this.#askedAt > freshMs) throw new Error(`nobody has said for ${freshMs} ms what is due`);
	}

	/** Claims nothing more and resolves when the passes under way are over. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		this.#wakeUp.signal();
		await this.#loop;
		await Promise.all([...this.#passes.values()].map(({ ended }) => ended));
		this.#laterLook?.cancel();
		this.#wakeUp.cancel();
	}

	async #run(): Promise<void> {
		for (;;) {
			const times = Math.max(0, this.#failures - 1);
			this.#wakeUp.signalWithin(Math.min(pollMs * 2 ** times, failingPollMs));
			await this.#wakeUp.signalled();
			// A sessions service that does not answer is not polled sooner because of hints.
			if (this.#failures > 0) await sleep(Math.max(0, pollMs - (monotonic() - this.#triedAt)), this.#stopping.signal);
			if (this.#stopping.signal.aborted) return;
			await this.#claim();
		}
	}

	/** Claims changed sessions and due sessions; a failure of one does not affect the other. */
	async #claim(): Promise<void> {
		this.#triedAt = monotonic();
		const changed = await this.#isAnswered(() => this.#claimChanged());
		const due = await this.#isAnswered(() => this.#claimDue());
		if (due) this.#askedAt = monotonic();
		this.#failures = changed && due ? 0 : this.#failures + 1;
	}

	async #isAnswered(ask: () => Promise<void>): Promise<boolean> {
		try {
			await ask();
			return true;
		} catch (error) {
			this.#log.failed(this.#failures + 1, "Cannot ask which sessions are due", error);
			return false;
		}
	}

	async #claimChanged(): Promise<void> {
		const ids = this.#nextChanged();
		if (ids.length === 0) return;
		// Later changes count as another change.
		for (const id of ids) this.#changed.delete(id);
		try {
			await this.#begin(ids.length, ids);
		} catch (error) {
			if (error instanceof InvalidParametersError) return this.#claimEach(ids);
			for (const id of ids) this.#remember(id);
			throw error;
		}
	}

	/** The changed sessions that may have a pass now. */
	#nextChanged(): string[] {
		const taken = this.#passesByOwner();
		const ids: string[] = [];
		for (const id of this.#changed) {
			const owner = this.#owners.get(id) ?? "";
			if (this.#passes.has(id) || taken.of(owner) >= bound.passesOfOne) continue;
			if (ids.length === this.#free()) break;
			taken.add(owner);
			ids.push(id);
		}
		return ids;
	}

	/** Claims the sessions one by one, because an invalid id among them must not affect the others. */
	async #claimEach(ids: readonly string[]): Promise<void> {
		for (const id of ids) {
			await this.#begin(1, [id]).catch((error: unknown) => {
				if (!(error instanceof InvalidParametersError)) this.#remember(id);
			});
		}
	}

	#remember(id: string): void {
		if (this.#changed.size < maxRemembered) this.#changed.add(id);
	}

	async #claimDue(): Promise<void> {
		const limit = this.#free();
		this.#backlog = limit === 0 || (await this.#begin(limit)) === limit;
		if (this.#backlog && this.#free() > 0) this.#wakeUp.signal();
	}

	/** Begins passes; resolves to the count of claimed sessions. */
	async #begin(limit: number, ids?: string[]): Promise<number> {
		const since = monotonic();
		const claims = await this.#work.claim(limit, ids, Object.fromEntries(this.#passesByOwner()));
		for (const claim of claims) this.#start(claim, since);
		return claims.length;
	}

	#start(claim: Claim, since: number): void {
		// A session may be claimed again before the answer to its last report arrives; that pass ends first.
		const former = this.#passes.get(claim.id)?.ended ?? Promise.resolve();
		const ended = former.then(() => this.#pass(claim, since)).finally(() => this.#ended(claim, pass));
		const pass = { owner: personKey(claim.tenant, claim.owner), ended };
		this.#passes.set(claim.id, pass);
	}

	#free(): number {
		return bound.passes - this.#passes.size;
	}

	#passesByOwner(): Tally {
		const passes = new Tally();
		for (const { owner } of this.#passes.values()) passes.add(owner);
		return passes;
	}

	async #pass(claim: Claim, since: number): Promise<void> {
		const begun = monotonic();
		let isDone = false;
		try {
			failpoint("pod-manager.claimed");
			const { report, trouble } = await runPass(claim, this.#dependencies, since);
			if (trouble !== undefined) this.#reportFailure(claim, trouble);
			if (report) await this.#observe(claim, report);
			isDone = trouble === undefined;
		} catch (error) {
			this.#reportFailure(claim, error);
		} finally {
			this.#measured.ended(isDone, monotonic() - begun);
		}
	}

	#ended({ id }: Claim, pass: Pass): void {
		if (this.#passes.get(id) !== pass) return;
		const isOwnerWaiting = this.#passesByOwner().of(pass.owner) >= bound.passesOfOne;
		this.#passes.delete(id);
		if (this.#backlog || isOwnerWaiting || this.#changed.has(id)) this.#wakeUp.signal();
	}

	async #observe(claim: Claim, report: PassReport): Promise<void> {
		failpoint("pod-manager.before-observe");
		await this.#work.observe(report);
		this.#keepOwner(claim, report.observed.phase);
		if (report.due_in_ms > 0) this.#wakeUp.signalWithin(report.due_in_ms);
	}

	#keepOwner({ id, tenant, owner }: Claim, phase: ObservedPhase): void {
		if (phase === "absent") this.#owners.delete(id);
		else this.#owners.set(id, personKey(tenant, owner));
	}

	#reportFailure({ id }: Claim, error: unknown): void {
		// The person who waits reads a refusal; its cause, which may name paths, is for the operator.
		const cause = error instanceof PodRefused && error.cause !== undefined ? ` (${sentenceOf(error.cause)})` : "";
		this.#log.write(`A pass over session "${id}" failed: ${sentenceOf(error)}${cause}`);
	}
}
