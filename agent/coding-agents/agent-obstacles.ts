/** Lists everything that prevents the start of a coding agent, or its use of a model. */
import { dirname } from "node:path";
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";
import { missingInstallation } from "#shared/wire/agents/missing-installation.ts";
import type { ModelRefusal } from "#shared/wire/models/model-wire.ts";

/** The session's model; it can be used when there is no reason against it. */
export type NamedModel = Pick<ModelRefusal, "model" | "wires"> & Partial<Pick<ModelRefusal, "reason">>;

/**
 * @param agents The folder of installed agents.
 * @param isImage Whether that is a folder of the image in which the session runs.
 * @returns Sentences; the agent can be started when there are none. A command for the user to type comes last.
 */
export function agentObstacles(
	record: WrittenAgent,
	model: NamedModel | undefined,
	agents?: string,
	isImage = false,
): string[] {
	const { id, needs_model } = record;
	const needed = model
		? modelObstacles(record, model)
		: [`The coding agent "${id}" needs a model, and the session has none: name one whose provider's key is set`];
	const uninstalled = missingInstallation(record, { agents, dataDir: agents && dirname(agents), isImage });
	return [...(needs_model ? needed : []), ...(uninstalled === undefined ? [] : [uninstalled])];
}

export function modelObstacles({ id, wires }: WrittenAgent, { model, wires: offered, reason }: NamedModel): string[] {
	const spoken = Object.keys(wires);
	const obstacles = reason === undefined ? [] : [reason];
	if (offered.length === 0 || offered.some((wire) => spoken.includes(wire))) return obstacles;
	const formats = `The coding agent "${id}" speaks ${spoken.join(" or ")}; model "${model}" speaks ${offered.join(", ")}`;
	return [...obstacles, formats];
}
