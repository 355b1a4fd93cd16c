/**
 * Remembers the first answers to commands with an `Idempotency-Key`. They are stored in the session that the command
 * changed, so that effect and answer are one write. A repeated command gets the first answer; the same key with another
 * request is refused.
 */
import { fingerprintOf, refuseOtherRequest } from "#shared/base/ids/request-fingerprint.ts";
import { personKey, type Principal } from "#shared/base/principal.ts";
import { now } from "#shared/base/clock.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { Commander } from "./commander.ts";
import type { SessionRecord } from "../record/session-change.ts";

/** The time for which a key is remembered, in milliseconds. */
export const rememberedMs = 24 * 3_600_000;
/** The most answers per session; the oldest are removed first. */
const maxAnswers = 16;

export interface CommandAnswer {
	/** The action, the person and the client's key, as {@link markKey} joins them: another person's key is another one. */
	key: string;
	fingerprint: string;
	at: number;
	answer: Session;
	/** Whether the answer is preliminary because its effect is still being awaited. */
	provisional?: boolean;
}

/** A command with a key, as its person gave it. */
interface KeyedCommand {
	readonly command: string;
	readonly principal: Principal;
	readonly key: string;
}

/** Returns the mark of a request; undefined when it has no key. */
export function commandMark(
	action: string,
	{ principal, key }: Pick<Commander, "principal" | "key">,
	params: unknown,
): Omit<CommandAnswer, "answer"> | undefined {
	if (key === undefined) return undefined;
	return { key: markKey(action, principal, key), fingerprint: fingerprintOf(params), at: now() };
}

function markKey(action: string, { tenant, id }: Principal, key: string): string {
	return `${action}:${personKey(tenant, id)}:${key}`;
}

/**
 * Returns the first answer to this command; undefined when there was none.
 * @throws {UnprocessableError} when the key was used for another request.
 */
export function answeredBefore(
	{ document }: SessionRecord,
	mark: Omit<CommandAnswer, "answer"> | undefined,
): Session | undefined {
	const former = mark && answersOf(document.answers).find(({ key }) => key === mark.key);
	if (!former) return undefined;
	refuseOtherRequest(former.fingerprint, mark.fingerprint);
	return former.answer;
}

/**
 * Returns the final answer to a command that awaited its effect, and the answers to store; undefined in their place
 * when they are stored already.
 */
export function completedAnswer(
	{ document }: SessionRecord,
	{ command, principal, key, answer }: KeyedCommand & { readonly answer: Session },
): { readonly counts: Session; readonly answers?: CommandAnswer[] } {
	const answers = answersOf(document.answers);
	const former = answers.find((one) => one.key === markKey(command, principal, key));
	if (!former?.provisional) return { counts: former?.answer ?? answer };
	const { provisional: _over, ...mark } = former;
	return { counts: answer, answers: answers.map((one) => (one === former ? { ...mark, answer } : one)) };
}

export function rememberAnswer(answers: unknown, answer: CommandAnswer): CommandAnswer[] {
	const fresh = answersOf(answers).filter(({ at }) => at > answer.at - rememberedMs);
	return [...fresh.slice(1 - maxAnswers), answer];
}

function answersOf(answers: unknown): CommandAnswer[] {
	return Array.isArray(answers) ? (answers as CommandAnswer[]) : [];
}
