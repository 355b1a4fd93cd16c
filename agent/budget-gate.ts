/**
 * Keeps turns and model calls within the budgets of the platform. A turn begins when its reservation is granted, and
 * waits otherwise, asking each second, so that it goes on by itself when a limit is raised. Where no limit applies,
 * nothing waits for the platform; where one does, nothing goes on without it.
 */
import { randomUUID } from "node:crypto";
import { deadline, sleep } from "#shared/clock.ts";
import type { Reservation, SentReservationRequest } from "#shared/contracts/budgets.ts";
import type { ConversationTurn } from "#shared/contracts/sessions.ts";
import { addTokens, noTokens, type TokenCounts, totalTokens } from "#shared/models/token-counts.ts";
import type { LaunchDocument } from "#shared/pod/launch.ts";
import type { LogBuffer } from "./log-buffer.ts";
import { type PlatformAnswer, PlatformLink } from "./platform-link.ts";
import type { TurnGate, TurnWatcher } from "./turn-watcher.ts";

const askAgainMs = 1_000;
const limitedMs = 10_000;
/** A turn that needs no leave does not wait long for it. */
const unlimitedMs = 2_000;
/** How long a model call waits for a platform that is away. */
const callPatienceMs = 30_000;
/** A reservation that cannot be given back ends by itself. */
const releaseTries = 5;
/** How long the next turn, or the end of the pod, waits for the last one's reservation to be given back. */
const patienceMs = 3_000;

export interface BudgetGateOptions {
	readonly launch: LaunchDocument;
	readonly log: LogBuffer;
	/** Resolves when the platform has heard of what was used so far, or soon after. */
	readonly reported: () => Promise<void>;
}

/** Tokens under one reservation. */
interface Reserved {
	readonly id: string;
	used: TokenCounts;
	callsUnderWay: number;
	/** A call was refused: the session is paused. */
	isRefused: boolean;
}

type Ask = Omit<SentReservationRequest, "model" | "reservation_id">;

export class BudgetGate implements TurnGate, TurnWatcher {
	readonly #link: PlatformLink;
	readonly #model: string;
	readonly #options: BudgetGateOptions;
	readonly #closed = new AbortController();
	/** As far as is known. */
	#isLimited: boolean;
	/** What the last model call read and wrote: the next one reads at least that. */
	#context: number | undefined;
	#reserved: Reserved | undefined;
	#givingBack: Promise<void> | undefined;
	/** Ends the asking after a refused call, when somebody else asks. */
	#asking: AbortController | undefined;

	constructor(options: BudgetGateOptions) {
		const { model_access, budgeted = false } = options.launch;
		this.#link = new PlatformLink(options.launch);
		this.#model = model_access?.model ?? "";
		this.#isLimited = budgeted;
		this.#options = options;
	}

	/** Under which what is used now is to be reported. */
	get reservationId(): string | undefined {
		return this.#reserved?.id;
	}

	async pass(_message: ConversationTurn, ending: AbortSignal): Promise<void> {
		if (this.#model === "" && !this.#isLimited) return;
		const signal = AbortSignal.any([ending, this.#closed.signal]);
		this.#giveBack();
		await this.#givenBack(signal);
		this.#asking?.abort();
		const id = randomUUID();
		await this.#untilGranted(id, signal);
		signal.throwIfAborted();
		this.#reserved = this.#isLimited ? { id, used: noTokens, callsUnderWay: 0, isRefused: false } : undefined;
	}

	ended(): void {
		this.#giveBack();
	}

	/** Before a model call: why it must not be made; undefined when it may. */
	async admit(): Promise<string | undefined> {
		if (!this.#isLimited) return undefined;
		const reserved = (this.#reserved ??= { id: randomUUID(), used: noTokens, callsUnderWay: 0, isRefused: false });
		reserved.callsUnderWay++;
		const refusal = await this.#askForCall(reserved);
		if (refusal === undefined) return undefined;
		reserved.callsUnderWay--;
		reserved.isRefused = true;
		return refusal;
	}

	/** After a model call that was admitted. @param counts Undefined: the provider did not tell. */
	used(counts: TokenCounts | undefined): void {
		const reserved = this.#reserved;
		if (reserved) reserved.callsUnderWay = Math.max(0, reserved.callsUnderWay - 1);
		if (!counts) return;
		this.#context = totalTokens(counts);
		if (reserved) reserved.used = addTokens(reserved.used, counts);
	}

	/** Gives back what is held, and asks nothing any more. */
	async close(): Promise<void> {
		this.#asking?.abort();
		this.#giveBack();
		await this.#givenBack(this.#closed.signal);
		this.#closed.abort();
		this.#link.close();
	}

	/** Resolves when the reservation is granted or needs not be, or when the signal aborts. */
	async #untilGranted(id: string, signal: AbortSignal): Promise<void> {
		let told = "";
		while (!signal.aborted) {
			const answer = await this.#ask(id, {}, signal);
			if (answer?.granted || (!answer && !this.#isLimited)) return;
			const why = answer?.reason?.message ?? "The platform does not answer, and the session has a budget";
			if (why !== told) this.#options.log.add("WARNING", "budget", `The next turn waits: ${why}`);
			told = why;
			await sleep(askAgainMs, signal);
		}
	}

	async #askForCall({ id, used, callsUnderWay }: Reserved): Promise<string | undefined> {
		const signal = deadline(callPatienceMs, this.#closed.signal);
		const ask = { used: bucketsOf(used), calls: callsUnderWay };
		while (!signal.aborted) {
			const answer = await this.#ask(id, ask, signal);
			if (answer) return answer.granted ? undefined : (answer.reason?.message ?? "The budget is used up");
			await sleep(askAgainMs, signal);
		}
		return "The platform that keeps the budget of this session cannot be reached";
	}

	/** The pause of the session is lifted also when no message waits. */
	#keepAsking(): void {
		if (this.#asking) return;
		const asking = new AbortController();
		this.#asking = asking;
		const signal = AbortSignal.any([asking.signal, this.#closed.signal]);
		const id = randomUUID();
		void this.#untilGranted(id, signal)
			.then(() => this.#release(id))
			.finally(() => {
				if (this.#asking === asking) this.#asking = undefined;
			});
	}

	/** Undefined when the platform does not say. */
	async #ask(id: string, ask: Ask, signal: AbortSignal): Promise<Reservation | undefined> {
		const input = this.#context === undefined ? {} : { input_tokens: this.#context };
		const body = { reservation_id: id, model: this.#model, ...input, ...ask };
		const answer = reservationOf(await this.#send("POST", "", signal, body));
		if (answer) this.#isLimited = answer.limited;
		return answer;
	}

	/** When what was used is reported, so that nobody else takes it meanwhile. */
	#giveBack(): void {
		const reserved = this.#reserved;
		this.#reserved = undefined;
		if (!reserved) return;
		const before = this.#givingBack;
		this.#givingBack = (async () => {
			await before;
			await this.#options.reported();
			await this.#release(reserved.id);
			if (reserved.isRefused) this.#keepAsking();
		})();
	}

	async #givenBack(signal: AbortSignal): Promise<void> {
		if (!this.#givingBack) return;
		const patience = new AbortController();
		await Promise.race([this.#givingBack, sleep(patienceMs, AbortSignal.any([signal, patience.signal]))]);
		patience.abort();
	}

	async #release(id: string): Promise<void> {
		for (let tries = 0; tries < releaseTries && !this.#closed.signal.aborted; tries++) {
			const answer = await this.#send("DELETE", `/${id}`, this.#closed.signal);
			if (answer && answer.status < 500 && answer.status !== 429) return;
			await sleep(askAgainMs, this.#closed.signal);
		}
	}

	/** Undefined when there is no answer. */
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

/** Undefined when it is none. */
function reservationOf(answer: PlatformAnswer | undefined): Reservation | undefined {
	if (!answer || answer.status >= 300 || answer.text === undefined) return undefined;
	try {
		return JSON.parse(answer.text);
	} catch {
		return undefined;
	}
}

function bucketsOf({
	input,
	output,
	cache_read,
	cache_write,
}: TokenCounts): NonNullable<SentReservationRequest["used"]> {
	return {
		input_tokens: input,
		output_tokens: output,
		cache_read_tokens: cache_read,
		cache_write_tokens: cache_write,
	};
}
