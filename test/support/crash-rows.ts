/** A table of crashes: each row kills a platform with kill -9 at a failpoint in the middle of a change, and looks at what the next process has. */
import { expect } from "chai";
import type { TestPlatform } from "./platform/start-platform.ts";

/** One crash. The rows of a table share one installation, and each begins with what the former one left. */
export interface CrashRow {
	/** The change that is interrupted, in words. */
	readonly change: string;
	/** The failpoint at which the platform dies. */
	readonly point: string;
	/** Looks at what was acknowledged before, and prepares the change, in the process that will die. */
	readonly given?: () => Promise<unknown>;
	/** Sends the change. The platform dies before it answers the last request. */
	readonly send: () => Promise<unknown>;
	/** Whether the platform may answer, because it dies at work that goes on in the background; default false. */
	readonly mayAnswer?: boolean;
	/** Looks at what the next process shows. It changes nothing, because that process dies at the point of the next row. */
	readonly shows?: () => Promise<unknown>;
	/** Changes what the next process allows to be changed, and waits for what it finishes; that process dies at no point. */
	readonly allows?: () => Promise<unknown>;
}

const noAnswer = "no answer";
/** How long a process may take until it dies, in milliseconds; in the background that takes the start of a session. */
const diesWithinMs = 60_000;

/**
 * Makes one test of each row. A start is shared where it can be: the process that shows the outcome of a row is the one that dies in
 * the next row. @param envOf Further variables of each start.
 */
export function testCrashes(
	platformOf: () => TestPlatform,
	rows: readonly CrashRow[],
	envOf: () => Record<string, string> = () => ({}),
): void {
	let armed: string | undefined;

	/** Resolves when a process runs that dies at this point. */
	async function runs(point: string | undefined): Promise<void> {
		const platform = platformOf();
		if (point === armed && !platform.processes.some(({ hasEnded }) => hasEnded)) return;
		// A process that dies at no point ends in order, so that the next one finds nothing to finish, which could meet its point.
		await (armed === undefined ? platform.stop() : platform.kill());
		armed = point;
		const failpoints: Record<string, string> = point === undefined ? {} : { ATELIER_FAILPOINTS: `${point}=kill` };
		platform.processes = [platform.startProcess([], { ...envOf(), ...failpoints })];
		await platform.ready();
	}

	for (const [index, { change, point, given, send, mayAnswer, shows, allows }] of rows.entries())
		it(`${change}, killed at ${point}`, async () => {
			await runs(point);
			await given?.();
			const answer = await send().catch(() => noAnswer);
			if (mayAnswer !== true) expect(answer).to.equal(noAnswer);
			for (const dying of platformOf().processes) expect(await dying.ended(diesWithinMs), "killed").to.equal(null);
			await runs(allows ? undefined : rows[index + 1]?.point);
			await shows?.();
			await allows?.();
		});
}
