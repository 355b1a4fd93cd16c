/** Says what an image of somebody else lacks, by the end of its first program (agent/enter-image.sh). Pure. */
import type { PodFailure } from "#shared/wire/pod/status.ts";

const sentences: Readonly<Record<number, string>> = {
	78: "The image has no git, which sessions need",
	79: "The git of the image is too old: sessions need 2.39 or later",
};
/** The words of a container's runtime for a first program that is not there. */
const noShell = /"\/bin\/sh"[^]*no such file or directory/;

/**
 * Returns the refusal; undefined when the program ended for another reason.
 * @param words Those of the container's runtime, when it could not start the program.
 */
export function lackingImage(exitCode: number, words: string): PodFailure | undefined {
	const message = noShell.test(words) ? "The image has no sh, which sessions need" : sentences[exitCode];
	return message === undefined ? undefined : { code: "CONTAINER_FAILED", message };
}

/** The exit codes of a first program that cannot be run (POSIX, "Exit Status for Commands"). */
const noProgram: ReadonlySet<number> = new Set([126, 127]);

/** Returns why the first program of a container, whose agent has never reported, could not be run; undefined when it was. */
export function unrunnable(exitCode: number): PodFailure | undefined {
	if (!noProgram.has(exitCode)) return undefined;
	return { code: "CONTAINER_FAILED", message: `The first program of the container could not be run (${exitCode})` };
}
