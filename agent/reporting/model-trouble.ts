/** Tracks the model calls of the current turn that have failed since the last success. */
import type { WatchCall, WatchedCall } from "#shared/model-proxy/provider/watched-call.ts";
import type { TurnFailure } from "../conversation/turn-failure.ts";
import type { TurnWatcher } from "../conversation/turn-watcher.ts";

/** The failures of the current turn. */
export interface Trouble {
	readonly sentence: string;
	/** The number of consecutive failures. */
	readonly attempts: number;
}

/** The calls of one turn; a call counts in the turn in which it began. */
interface TurnCalls {
	trouble: Trouble | undefined;
	/** The reason why a budget refused the last call; undefined when it did not. */
	refusal: string | undefined;
	answering: number;
}

export class ModelTrouble implements TurnWatcher {
	readonly #watchers: (() => void)[] = [];
	/** It is undefined between turns, because nobody waits for a call outside of a turn. */
	#turn: TurnCalls | undefined;

	/** @param onChange It is called when {@link now} has changed. */
	watch(onChange: () => void): void {
		this.#watchers.push(onChange);
	}

	/** The current failures; undefined when none is known. */
	get now(): Trouble | undefined {
		return this.#turn?.trouble;
	}

	/** Why the turn fails if it ends now. A call that is being answered did not fail: some agents end a turn before it. */
	get failure(): TurnFailure | undefined {
		const { answering, refusal, trouble } = this.#turn ?? noCalls();
		if (answering > 0) return undefined;
		if (refusal !== undefined) return { stopReason: "budget", sentence: refusal };
		return trouble && { stopReason: "error", sentence: trouble.sentence };
	}

	began(): void {
		this.#enter(noCalls());
	}

	ended(): void {
		this.#enter(undefined);
	}

	rested(): void {
		this.#enter(undefined);
	}

	readonly watchCall: WatchCall = () => {
		const turn = this.#turn ?? noCalls();
		return new TurnCall(turn, () => {
			if (turn === this.#turn) this.#changed();
		});
	};

	#enter(turn: TurnCalls | undefined): void {
		const had = this.now;
		this.#turn = turn;
		if (had) this.#changed();
	}

	#changed(): void {
		for (const onChange of this.#watchers) onChange();
	}
}

function noCalls(): TurnCalls {
	return { trouble: undefined, refusal: undefined, answering: 0 };
}

class TurnCall implements WatchedCall {
	readonly #turn: TurnCalls;
	readonly #onChange: () => void;
	#state: "asked" | "answering" | "over" = "asked";

	constructor(turn: TurnCalls, onChange: () => void) {
		this.#turn = turn;
		this.#onChange = onChange;
	}

	answering(): void {
		if (this.#state !== "asked") return;
		this.#state = "answering";
		this.#turn.answering++;
	}

	over(sentence?: string): void {
		this.#end(sentence, undefined);
	}

	refused(reason: string): void {
		this.#end(undefined, reason);
	}

	left(): void {
		if (this.#state === "answering") this.#turn.answering--;
		this.#state = "over";
	}

	#end(sentence: string | undefined, refusal: string | undefined): void {
		if (this.#state === "over") return;
		this.left();
		this.#turn.refusal = refusal;
		const before = this.#turn.trouble;
		this.#turn.trouble = sentence === undefined ? undefined : { sentence, attempts: (before?.attempts ?? 0) + 1 };
		if (before || this.#turn.trouble) this.#onChange();
	}
}
