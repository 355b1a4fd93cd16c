/** A shell command whose output is shown while it runs. */
import { every } from "#shared/clock.ts";
import { type ShellOptions, type ShellOutcome, startShell } from "./shell-command.ts";

const showEveryMs = 250;
/** Characters that are shown while it runs; all that is kept comes at the end. */
const shownLength = 16_384;

/** @param show Hears the end of the output so far, whenever there is more. */
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
