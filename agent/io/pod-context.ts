/** What everything in a pod stands on: what it was told, what it may hand on, where it logs, and its end. */
import type { LaunchDocument } from "#shared/pod/launch.ts";
import { type WorkingEnvironment, workingEnvironment } from "./environment.ts";
import { LogBuffer } from "./log-buffer.ts";

export interface PodContext {
	readonly launch: LaunchDocument;
	/** Environment of this process; what it starts gets a part of it. */
	readonly inherited: NodeJS.ProcessEnv;
	/** What setup scripts and the coding agent get of it. */
	readonly env: WorkingEnvironment;
	readonly log: LogBuffer;
	/** Aborted when the pod ends. */
	readonly ending: AbortController;
	readonly signal: AbortSignal;
}

export function podContext(launch: LaunchDocument, inherited: NodeJS.ProcessEnv): PodContext {
	const log = new LogBuffer([launch.pod_token, launch.platform_key]);
	const env = workingEnvironment(inherited, launch, (name) =>
		log.add("WARNING", "session-agent", `The launch may not set the variable "${name}"`),
	);
	const ending = new AbortController();
	return { launch, inherited, env, log, ending, signal: ending.signal };
}
