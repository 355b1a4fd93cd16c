/**
 * Keeps turns and model calls within the budgets of the platform. A turn begins when its reservation is granted.
 * Until then it asks each second, so that it begins by itself after a limit is raised. A session without a limit
 * never waits for the platform; a session with one does nothing without it.
 */
import { randomUUID } from "node:crypto";
import { deadline, monotonic, sleep } from "#shared/base/clock.ts";
import type { PlannedCall, Reservation, SentReservationRequest } from "#shared/contracts/sessions/budgets.ts";
import type { BudgetReason } from "#shared/contracts/sessions/session-resource.ts";
import { addTokens, noTokens, type TokenCounts, totalTokens } from "#shared/wire/models/token-counts.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { aborted } from "../../base/concurrency/aborted.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import type { AskingCall } from "#shared/model-proxy/metering/metered-call.ts";
import { likely, most, newReservation, type Reserved, usedUnder } from "./paid-calls.ts";
import { ReturningHolds } from "./returning-holds.ts";
import { type PlatformAccess, type PlatformAnswer, PlatformLink } from "../platform/platform-link.ts";

const budgetExceeded = "BUDGET_EXCEEDED";
const askAgainMs = 1_000;
const limitedMs = 10_000;
/** How long a turn without a limit waits for its reservation. */
const unlimitedMs = 2_000;
/** How long a model call waits for a platform that cannot be reached. */
const callPatienceMs = 30_000;
/** The number of attempts to return a reservation; one that is not returned expires. */
const releaseTries = 5;
/** The platform drops a hold that is neither raised nor booked on for 10 min. */
const renewAfterMs = 300_000;
/** How often a session without a limit, which reserves no calls, asks whether a limit was set. */
const askForLimitsMs = 5_000;
/** How long the next turn, or the end of the pod, waits for the return of the previous reservation. */
const patienceMs = 3_000;

export interface BudgetGateDependencies {
	readonly launch: PlatformAccess & Pick<LaunchDocument, "budgeted">;
	readonly log: LogBuffer;
	/** Returns the model of the next call; undefined when the session has none. */
	readonly model: () => string | undefined;
	/** Resolves soon with whether the platform has received all usage so far. */
	readonly reported: () => Promise<boolean>;
}

type Refusal = Pick<BudgetReason, "code" | "message">;
type Ask = Omit<SentReservationRequest, "reservation_id">;

/** Reserves the cost of turns and model calls. It is closed at the end of the pod, which returns the reservation. */
export class BudgetGate {
	readonly #link: PlatformLink;
	readonly #dependencies: BudgetGateDependencies;
	readonly #closed = new AbortController();
	/** The value is the last one that the platform gave. */
	#isLimited: boolean;
	/** The tokens that the last model call read and wrote; the next call reads at least as many. */
	#context: number | undefined;
	/** The call that a budget refused last, until a call is granted: a turn with less room could do nothing. */
	#refusedCall: PlannedCall | undefined;
	#reserved: Reserved | undefined;
	#isInTurn = false;
	#isClosing = false;
	/** The time of the last question to the platform. */
	#askedAt = -Infinity;
	#callOver = Promise.withResolvers<void>();
	#returning: Promise<void> | undefined;
	/** Ends the questions after a refused call, when a turn or a call asks instead. */
	#asking: AbortController | undefined;
	readonly #holds = new ReturningHolds();

	constructor(dependencies: BudgetGateDependencies) {
		const { budgeted = false } = dependencies.launch;
		this.#link = new PlatformLink(dependencies.launch);
		this.#isLimited = budgeted;
		this.#dependencies = dependencies;
	}

	/** Whether a budget applies, as far as the pod knows. */
	get isLimited(): boolean {
		return this.#isLimited;
	}

	get #model(): string {
		return this.#dependencies.model() ?? "";
	}

	/** The reservation under which usage is reported now. */
	get reservationId(): string | undefined {
		return this.#reserved?.id;
	}

	async pass(_message: unknown, ending: AbortSignal): Promise<void> {
		if (this.#model === "" && !this.#isLimited) return;
		const signal = AbortSignal.any([ending, this.#closed.signal]);
		this.#returnReservation();
		await this.#returned(signal);
		await this.#withoutOwnHolds(signal);
		const reserved = this.#reserved ?? newReservation();
		await this.#untilGranted(reserved, signal, signal);
		signal.throwIfAborted();
		this.#isInTurn = true;
		this.#reserved = this.#isLimited ? reserved : undefined;
	}

	ended(): void {
		this.#isInTurn = false;
		this.#returnReservation();
	}

	/**
	 * Asks for a model call. Resolves with the reason why it must not be made, or undefined. A single call is admitted
	 * when there is room for its likely cost, so it may pass the limit by a part of its own price. Concurrent calls are
	 * admitted only when there is room for the most that all of them can use, and run one after the other otherwise.
	 * @param leaving It aborts when the caller does not wait any more.
	 */
	async admit(call: AskingCall, leaving: AbortSignal): Promise<string | undefined> {
		this.#lookForLimits();
		const signal = AbortSignal.any([leaving, this.#closed.signal]);
		while (this.#isLimited && !signal.aborted) {
			await this.#renewLapsing();
			const wasAsking = await this.#withoutOwnHolds(signal);
			const reserved = (this.#reserved ??= newReservation());
			// Nobody else asks any more whether the pause is over.
			reserved.isRefused ||= wasAsking;
			const callOver = this.#callOver.promise;
			reserved.underWay.set(call.id, call);
			const isAlone = reserved.underWay.size === 1;
			const refusal = await this.#askForCall(reserved, call, signal);
			if (!refusal) {
				reserved.isRefused = false;
				this.#refusedCall = undefined;
				reserved.grantedAt = monotonic();
				return undefined;
			}
			reserved.underWay.delete(call.id);
			if (isAlone || refusal.code !== budgetExceeded) return this.#refused(reserved, call, refusal);
			if (reserved.underWay.size > 0) await Promise.race([callOver, aborted(signal)]);
		}
		return this.#isLimited ? "Nobody waits for the call any more" : undefined;
	}

	/** Records the end of an admitted model call. @param counts The usage; undefined when none is known. */
	used({ id, model, counts }: { id: string; model: string; counts: TokenCounts | undefined }): void {
		const reserved = this.#reserved;
		if (counts) {
			this.#context = totalTokens(counts);
			reserved?.used.set(model, addTokens(reserved.used.get(model) ?? noTokens, counts));
		}
		if (reserved) this.#over(reserved, id);
	}

	/** Returns the reservation; no other one is asked for afterwards. */
	async close(): Promise<void> {
		this.#isClosing = true;
		this.#isInTurn = false;
		this.#asking?.abort();
		this.#returnReservation();
		await this.#returned(this.#closed.signal);
		this.#closed.abort();
		this.#link.close();
	}

	/**
	 * Resolves when the reservation is granted or not needed, or when the signal aborts.
	 * @param stop Aborts when nothing more is to be asked; the answer to a question under way is still waited for.
	 */
	async #untilGranted({ id, used }: Reserved, signal: AbortSignal, stop: AbortSignal): Promise<void> {
		let logged = "";
		while (!stop.aborted) {
			const answer = await this.#ask(id, { ...this.#first(), used: usedUnder(used) }, signal);
			if (answer?.granted || (!answer && !this.#isLimited)) return;
			const why = answer?.reason?.message ?? "The platform does not answer, and the session has a budget";
			if (why !== logged) this.#dependencies.log.add("WARNING", "budget", `The next turn waits: ${why}`);
			logged = why;
			await sleep(askAgainMs, stop);
		}
	}

	/** The estimate for the first call of a turn. */
	#first(): Pick<Ask, "model" | "input_tokens" | "calls"> {
		const model = this.#model;
		if (this.#refusedCall) return { model, calls: [{ ...this.#refusedCall, model }] };
		return { model, ...(this.#context !== undefined && { input_tokens: this.#context }) };
	}

	/** Resolves with the reason of a refusal, or with undefined when the call may be made. */
	async #askForCall(reserved: Reserved, call: AskingCall, ending: AbortSignal): Promise<Refusal | undefined> {
		const { id, used, underWay } = reserved;
		const signal = deadline(callPatienceMs, ending);
		const calls = underWay.size === 1 ? [likely(call, this.#context)] : [...underWay.values()].map(most);
		while (!signal.aborted) {
			const answer = await this.#ask(id, { model: call.model, calls, used: usedUnder(used) }, signal);
			if (answer?.granted) return undefined;
			if (answer) return answer.reason ?? { code: budgetExceeded, message: "The budget is used up" };
			await sleep(askAgainMs, signal);
		}
		return { code: "PLATFORM_AWAY", message: "The platform that keeps the budget of this session cannot be reached" };
	}

	#refused(reserved: Reserved, call: AskingCall, { code, message }: Refusal): string {
		if (code === budgetExceeded) {
			reserved.isRefused = true;
			this.#refusedCall = likely(call, this.#context);
		}
		this.#over(reserved, call.id);
		return message;
	}

	#over(reserved: Reserved, call: string): void {
		reserved.underWay.delete(call);
		this.#callOver.resolve();
		this.#callOver = Promise.withResolvers<void>();
		if (!this.#isInTurn) this.#returnReservation();
	}

	/** Asks whether a limit was set, for a session that reserves no calls. Nothing waits for the answer. */
	#lookForLimits(): void {
		if (this.#isLimited || monotonic() - this.#askedAt < askForLimitsMs) return;
		void this.#ask(randomUUID(), { model: this.#model, calls: [] }, this.#closed.signal);
	}

	/** Keeps asking after a refusal, so that the pause of the session also ends when no message waits. */
	#keepAsking(): void {
		if (this.#asking) return;
		const asking = new AbortController();
		this.#asking = asking;
		const stop = AbortSignal.any([asking.signal, this.#closed.signal]);
		const reserved = newReservation();
		const over = this.#untilGranted(reserved, this.#closed.signal, stop).then(() => {
			this.#asking = undefined;
			return this.#release(reserved.id);
		});
		this.#holds.add(over);
	}

	/**
	 * Resolves when nothing is held for the question whether a pause is over, and nothing that is being returned: both would
	 * take room from the turn or call that asks next. Resolves after 3 s in any case.
	 * @returns Whether that question was being asked. It ends here.
	 */
	async #withoutOwnHolds(signal: AbortSignal): Promise<boolean> {
		let wasAsking = false;
		if (this.#holds.size === 0) return wasAsking;
		const patience = deadline(patienceMs, signal);
		while (this.#holds.size > 0 && !patience.aborted) {
			wasAsking ||= this.#asking !== undefined;
			this.#asking?.abort();
			await this.#holds.returned(patience);
		}
		return wasAsking;
	}

	/**
	 * Takes a new reservation in place of one that may have lapsed. The platform would count what was used under a lapsed one
	 * twice: as booked, and as still to be paid.
	 */
	async #renewLapsing(): Promise<void> {
		const reserved = this.#reserved;
		if (!reserved || reserved.used.size === 0 || monotonic() - reserved.grantedAt < renewAfterMs) return;
		const isReported = await this.#dependencies.reported();
		if (!isReported || this.#reserved !== reserved || reserved.underWay.size > 0) return;
		this.#reserved = newReservation();
		void this.#release(reserved.id);
	}

	/** Resolves with undefined when the platform does not answer the question. */
	async #ask(id: string, ask: Ask, signal: AbortSignal): Promise<Reservation | undefined> {
		this.#askedAt = monotonic();
		const body: SentReservationRequest = { reservation_id: id, ...ask };
		const answer = reservationOf(await this.#send("POST", "", signal, body));
		if (answer) this.#isLimited = answer.limited;
		return answer;
	}

	/** Returns the reservation when no call needs it and the platform has all usage, or others would get the money. */
	#returnReservation(): void {
		const reserved = this.#reserved;
		if (!reserved) return;
		const before = this.#returning;
		this.#returning = (async () => {
			await before;
			if (this.#reserved !== reserved) return;
			if (!(await this.#dependencies.reported()) && !this.#isClosing) return;
			if (this.#isInTurn || reserved.underWay.size > 0) return;
			this.#reserved = undefined;
			await this.#release(reserved.id);
			if (reserved.isRefused) this.#keepAsking();
		})();
	}

	async #returned(signal: AbortSignal): Promise<void> {
		if (!this.#returning) return;
		const patience = new AbortController();
		await Promise.race([this.#returning, sleep(patienceMs, AbortSignal.any([signal, patience.signal]))]);
		patience.abort();
	}

	#release(id: string): Promise<void> {
		const returned = this.#tryToRelease(id);
		this.#holds.add(returned);
		return returned;
	}

	async #tryToRelease(id: string): Promise<void> {
		for (let tries = 0; tries < releaseTries && !this.#closed.signal.aborted; tries++) {
			const answer = await this.#send("DELETE", `/${id}`, this.#closed.signal);
			if (answer && answer.status < 500 && answer.status !== 429) return;
			await sleep(askAgainMs, this.#closed.signal);
		}
	}

	/** Resolves with undefined when there is no answer. */
	#send(
		method: "POST" | "DELETE",
		path: string,
		signal: AbortSignal,
		body?: object,
	): Promise<PlatformAnswer | undefined> {
		const withinMs = this.#isLimited ? limitedMs : unlimitedMs;
		return this.#link.send({ method, path: `/reservations${path}`, withinMs, signal, ...(body && { body }) });
	}
}

/** Returns undefined for an answer that is no reservation. */
function reservationOf(answer: PlatformAnswer | undefined): Reservation | undefined {
	if (!answer || answer.status >= 300 || answer.text === undefined) return undefined;
	try {
		return JSON.parse(answer.text);
	} catch {
		return undefined;
	}
}
