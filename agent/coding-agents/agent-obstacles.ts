/** What keeps a coding agent from being started, or a model from being used by it: all of it at once. */
import { dirname } from "node:path";
import type { WrittenAgent } from "#shared/agents/agent-fields.ts";
import { missingInstallation } from "#shared/agents/missing-installation.ts";
import type { ModelRefusal } from "#shared/models/model-wire.ts";

/** The session's model; without a reason it can be used. */
export type NamedModel = Pick<ModelRefusal, "model" | "wires"> & Partial<Pick<ModelRefusal, "reason">>;

/** @param agents Folder of the installed agents. @returns Sentences; none: it can be started. What is to be typed comes last. */
export function agentObstacles(record: WrittenAgent, model: NamedModel | undefined, agents?: string): string[] {
	const { id, needs_model } = record;
	const needed = model
		? modelObstacles(record, model)
		: [`The coding agent "${id}" needs a model, and the session has none: name one whose provider's key is set`];
	const uninstalled = missingInstallation(record, { agents, dataDir: agents && dirname(agents) });
	return [...(needs_model ? needed : []), ...(uninstalled === undefined ? [] : [uninstalled])];
}

/** Why the agent cannot use the model. */
export function modelObstacles({ id, wires }: WrittenAgent, { model, wires: offered, reason }: NamedModel): string[] {
	const spoken = Object.keys(wires);
	const obstacles = reason === undefined ? [] : [reason];
	if (offered.length === 0 || offered.some((wire) => spoken.includes(wire))) return obstacles;
	const formats = `The coding agent "${id}" speaks ${spoken.join(" or ")}; model "${model}" speaks ${offered.join(", ")}`;
	return [...obstacles, formats];
}
