/** Says which of the requested limits hold for less than the whole session, where it is no container. Pure. */
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { readResources } from "#shared/wire/pod/resource-limits.ts";

/** Returns the sentence for the session's warnings; undefined when nothing was asked for, or a container sets the bounds. */
export function looseLimits({
	door,
	resource_config = {},
}: Pick<LaunchDocument, "door" | "resource_config">): string | undefined {
	const { memoryBytes, processors } = readResources(resource_config).limits;
	const loose = [
		memoryBytes !== undefined && "memory holds for each process of the agent",
		processors !== undefined && "cpu names processors that other sessions may use too",
	].filter((part) => part !== false);
	if (door !== undefined || loose.length === 0) return undefined;
	return `resource_config: ${loose.join(", and ")}; nothing limits this session as a whole, because it runs as processes of the machine (docs/workspace-layout.md#resources)`;
}
