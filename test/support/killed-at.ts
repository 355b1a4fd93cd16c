/** kill -9 of a platform at a failpoint, in the course of a request. */
import type { TestPlatform } from "./platform/start-platform.ts";

/** The result of a request that got no answer. */
export const noAnswer = "no answer";

/**
 * Starts the platform with a failpoint, sends the request in whose course it dies, and starts it again without; resolves with the
 * answer, or {@link noAnswer}. @param withinMs How long the end of the process may take; default: as long as that of any.
 */
export async function killedAt(
	platform: TestPlatform,
	point: string,
	send: () => Promise<unknown>,
	withinMs?: number,
): Promise<unknown> {
	await platform.kill();
	const dying = platform.startProcess([], { ATELIER_FAILPOINTS: `${point}=kill` });
	platform.processes = [dying];
	await platform.ready();
	const answer = await send().catch(() => noAnswer);
	await dying.ended(withinMs);
	await platform.start();
	return answer;
}
