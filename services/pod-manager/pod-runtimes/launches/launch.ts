/** Names one launch of a session in folders, in environments of processes and for container engines. Pure. */
import { sessionIdForm } from "#shared/contracts/sessions/session-work.ts";

/** One start of a session; each further start has a higher generation. */
export interface Launch {
	readonly sessionId: string;
	readonly generation: number;
}

const wholeId = new RegExp(`^${sessionIdForm}$`);
const wholeName = new RegExp(`^(${sessionIdForm})-g(0|[1-9]\\d{0,8})$`);

/**
 * Parses a name; undefined for a text that is not from {@link launchName}. Every accepted text is safe as the name of a
 * folder.
 */
export function parseLaunch(name: string): Launch | undefined {
	const [, sessionId, generation] = wholeName.exec(name) ?? [];
	return sessionId === undefined ? undefined : { sessionId, generation: Number(generation) };
}

/** Returns the name of a launch. @throws {RangeError} as {@link sessionName} does. */
export function launchName({ sessionId, generation }: Launch): string {
	return `${sessionName(sessionId)}-g${generation}`;
}

/**
 * Returns the name of a session's folder. @throws {RangeError} when the text is no session id, because as a folder name
 * it could lead anywhere.
 */
export function sessionName(sessionId: string): string {
	if (!isSessionId(sessionId)) throw new RangeError(`Not the id of a session: "${sessionId}"`);
	return sessionId;
}

export function isSessionId(text: string): boolean {
	return wholeId.test(text);
}

export function isSameLaunch(one: Launch, other: Launch): boolean {
	return one.sessionId === other.sessionId && one.generation === other.generation;
}
