/** One launch of a session, as folders and process environments name it. Pure. */

export interface Launch {
	readonly sessionId: string;
	readonly generation: number;
}

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const wholeName = new RegExp(`^(${uuid})-g(\\d{1,9})$`);

/** Undefined for text that is not from {@link launchName}; what it accepts is safe as the name of a folder. */
export function parseLaunch(name: string): Launch | undefined {
	const [, sessionId, generation] = wholeName.exec(name) ?? [];
	return sessionId === undefined ? undefined : { sessionId, generation: Number(generation) };
}

/** @throws {RangeError} when the session's id is not a UUID, so that no path leads elsewhere. */
export function launchName({ sessionId, generation }: Launch): string {
	const name = `${sessionId}-g${generation}`;
	if (!wholeName.test(name)) throw new RangeError(`Not a launch of a session: "${name}"`);
	return name;
}

export function isSameLaunch(one: Launch, other: Launch): boolean {
	return one.sessionId === other.sessionId && one.generation === other.generation;
}
