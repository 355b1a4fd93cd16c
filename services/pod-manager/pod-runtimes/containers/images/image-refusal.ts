/** Explains why an image of somebody else cannot run a session. Pure. */
import { deliveredEntrypoint } from "#shared/wire/agents/delivered-agent.ts";
import type { PodFailure } from "#shared/wire/pod/status.ts";
import { lackingImage } from "../../launches/lacking-image.ts";
import type { InspectedContainer } from "../inspected-container.ts";

/** Returns the refusal; undefined when the container ended for another reason, or has the image of sessions. */
export function imageRefusal({ State, Config }: InspectedContainer): PodFailure | undefined {
	const isDelivered = Config.Entrypoint?.join(" ") === deliveredEntrypoint.join(" ");
	return isDelivered ? lackingImage(State.ExitCode, State.Error) : undefined;
}
