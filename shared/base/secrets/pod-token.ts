/** Reads the tokens of pods, whose form is that of `InstallationKey.podToken`. */
import { timingSafeEqual } from "node:crypto";

const form = /^svcs_([0-9a-f-]{36})_(\d{1,9})_[\w-]{43}$/;

/** The launch of a session that a token was made for. */
interface TokenLaunch {
	readonly sessionId: string;
	readonly generation: number;
}

/**
 * Returns the launch of a token; undefined for one that the installation has not made.
 * @param podToken Returns the token of a launch.
 */
export function launchOfToken(
	token: string,
	podToken: (sessionId: string, generation: number) => string,
): TokenLaunch | undefined {
	const [, sessionId, digits] = form.exec(token) ?? [];
	if (sessionId === undefined) return undefined;
	const generation = Number(digits);
	const [right, given] = [Buffer.from(podToken(sessionId, generation)), Buffer.from(token)];
	return given.length === right.length && timingSafeEqual(given, right) ? { sessionId, generation } : undefined;
}
