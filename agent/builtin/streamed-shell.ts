/** Runs a shell command and shows its output while it runs. */
import { every } from "#shared/base/clock.ts";
import { type ShellOptions, type ShellOutcome, startShell } from "./shell-command.ts";

const showEveryMs = 250;
/** The number of characters that are shown while the command runs; the end result has all that is retained. */
const shownLength = 16_384;

/** @param show Receives the end of the output so far whenever there is more. */
export async function streamShell(
	command: string,
	options: ShellOptions,
	show: (text: string) => void,
): Promise<ShellOutcome> {
	const running = startShell(command, options);
	let shown = 0;
	const ticker = every(showEveryMs, () => {
		const { text, length } = running.soFar();
		if (length === shown) return;
		shown = length;
		show(text.slice(-shownLength));
	});
	return running.ended.finally(() => ticker.cancel());
}
