/**
 * First answers to commands that carried an `Idempotency-Key`, kept in the session they changed, so that effect and
 * answer are one write. A repeat gets the first answer; the same key with another request is refused.
 */
import { createHash } from "node:crypto";
import { now } from "#shared/clock.ts";
import type { Session } from "#shared/contracts/session-resource.ts";
import { UnprocessableError } from "#shared/errors.ts";
import type { SessionRecord } from "../record/session-change.ts";

/** How long a key is remembered. */
export const rememberedMs = 24 * 3_600_000;
/** Per session; the oldest go first. */
const maxAnswers = 16;

export interface CommandAnswer {
	/** `<action>:<key>` */
	key: string;
	/** Of the request's parameters. */
	fingerprint: string;
	at: number;
	answer: Session;
	/** What is answered is still waited for. */
	provisional?: boolean;
}

/** The mark of one request; undefined when it carries no key. */
export function commandMark(
	action: string,
	key: string | undefined,
	params: unknown,
): Omit<CommandAnswer, "answer"> | undefined {
	if (key === undefined) return undefined;
	return { key: `${action}:${key}`, fingerprint: fingerprintOf(params), at: now() };
}

export function fingerprintOf(params: unknown): string {
	return createHash("sha256").update(JSON.stringify(params)).digest("base64url");
}

/** @throws {UnprocessableError} when the key was used for another request. */
export function refuseOtherRequest(former: string | undefined, fingerprint: string): void {
	if (former !== fingerprint)
		throw new UnprocessableError("This Idempotency-Key was used for another request", "IDEMPOTENCY_KEY_REUSED");
}

/**
 * The answer this command got before.
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

/** What counts as the answer to a command that waited for it, and what is to be kept of it; undefined: it is kept already. */
export function completedAnswer(
	{ document }: SessionRecord,
	{ command, key, answer }: { readonly command: string; readonly key: string; readonly answer: Session },
): { readonly counts: Session; readonly kept?: CommandAnswer[] } {
	const answers = answersOf(document.answers);
	const former = answers.find((one) => one.key === `${command}:${key}`);
	if (!former?.provisional) return { counts: former?.answer ?? answer };
	const { provisional: _over, ...mark } = former;
	return { counts: answer, kept: answers.map((one) => (one === former ? { ...mark, answer } : one)) };
}

export function rememberAnswer(answers: unknown, answer: CommandAnswer): CommandAnswer[] {
	const fresh = answersOf(answers).filter(({ at }) => at > answer.at - rememberedMs);
	return [...fresh.slice(1 - maxAnswers), answer];
}

function answersOf(answers: unknown): CommandAnswer[] {
	return Array.isArray(answers) ? (answers as CommandAnswer[]) : [];
}
