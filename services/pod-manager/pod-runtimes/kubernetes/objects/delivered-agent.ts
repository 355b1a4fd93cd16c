/**
 * Describes how the session agent comes into an image of somebody else: an init container of the image of sessions fills a volume
 * (agent/deliver.ts), which the session's container has read-only at the place of the agent. Pure.
 */
import { deliveredEntrypoint, deliveredPlace, namingFiles } from "#shared/wire/agents/delivered-agent.ts";

/** The name of the init container. */
export const deliveryContainer = "agent";

const volume = "agent";
/** The place of the volume in the init container, whose own agent is at the usual one. */
const target = "/delivered";
/** It has 134 MB and what Node keeps of its modules. */
const sizeLimit = "512Mi";

/** The first program of the session's container. */
export const deliveredStart = { command: deliveredEntrypoint };

export const deliveredVolume = { name: volume, emptyDir: { sizeLimit } };

export const deliveredMounts = [
	{ name: volume, mountPath: deliveredPlace, readOnly: true },
	// A mount of a file inside of a volume has its path without the slash.
	...namingFiles.map((path) => ({ name: volume, mountPath: path, subPath: path.slice(1), readOnly: true })),
];

/** @param image The image of sessions. @param confined Its security context. @param resources Those of the session, so that the pod needs no more. */
export function delivering(
	image: string,
	user: number,
	{ confined, resources }: { readonly confined: object; readonly resources: object },
): object {
	return {
		name: deliveryContainer,
		image,
		command: ["node", `${deliveredPlace}/agent/deliver.ts`],
		args: [target, String(user)],
		resources,
		securityContext: confined,
		// Its last lines say why it has failed: no session has run yet.
		terminationMessagePolicy: "FallbackToLogsOnError",
		volumeMounts: [{ name: volume, mountPath: target }],
	};
}
