/** Explains why an image of somebody else cannot run a session (agent/enter-image.sh says it by its exit code). Pure. */
import type { PodFailure } from "#shared/wire/pod/status.ts";
import { deliveredEntrypoint } from "./agent-delivery.ts";
import type { InspectedContainer } from "../inspected-container.ts";

const sentences: Readonly<Record<number, string>> = {
	78: "The image has no git, which sessions need",
	79: "The git of the image is too old: sessions need 2.39 or later",
};
/** The engine's words for a first program that is not there. */
const noShell = /"\/bin\/sh"[^]*no such file or directory/;

/** Returns the refusal; undefined when the container ended for another reason, or has the image of sessions. */
export function imageRefusal({ State, Config }: InspectedContainer): PodFailure | undefined {
	const { ExitCode, Error: reason } = State;
	if (Config.Entrypoint?.join(" ") !== deliveredEntrypoint.join(" ")) return undefined;
	const message = noShell.test(reason) ? "The image has no sh, which sessions need" : sentences[ExitCode];
	return message === undefined ? undefined : { code: "CONTAINER_FAILED", message };
}
