/** The budgets of frames of all chats of a process: one for each session, and one for each person over all sessions. */
import { bound } from "#shared/base/bounds.ts";
import { FrameBudget, type FrameRate } from "#shared/net/http/frame-budget.ts";

/** A session has up to 16 chats, and each of them receives every part of an answer: up to 200 a second. */
const ofSession: FrameRate = { frames: bound.chatFrames, bytes: bound.chatBytes };
/** A person has as much as this many sessions. */
const sessionsOfPerson = 2;

interface Kept {
	readonly budget: FrameBudget;
	users: number;
}

export class FrameBudgets {
	readonly #kept = new Map<string, Kept>();
	readonly #perSession: FrameRate;

	/** @param perSession The frames and bytes of a session in a second; a person has twice as many. */
	constructor(perSession: FrameRate = ofSession) {
		this.#perSession = perSession;
	}

	/** Returns the budgets of a chat. @param release Resolves when the chat has ended. */
	take(sessionId: string, person: string, release: Promise<unknown>): readonly FrameBudget[] {
		this.#forgetUnused();
		const { frames, bytes } = this.#perSession;
		const perPerson = { frames: frames * sessionsOfPerson, bytes: bytes * sessionsOfPerson };
		return [
			this.#take(`session ${sessionId}`, this.#perSession, release),
			this.#take(`person ${person}`, perPerson, release),
		];
	}

	get size(): number {
		return this.#kept.size;
	}

	#take(key: string, rate: FrameRate, release: Promise<unknown>): FrameBudget {
		const kept = this.#kept.get(key) ?? { budget: new FrameBudget(rate), users: 0 };
		this.#kept.set(key, kept);
		kept.users++;
		void release.then(() => kept.users--);
		return kept.budget;
	}

	/** A debt stays after the last chat, so that nobody is rid of it by a new connection. */
	#forgetUnused(): void {
		for (const [key, { budget, users }] of this.#kept) if (users === 0 && budget.isUntouched) this.#kept.delete(key);
	}
}
