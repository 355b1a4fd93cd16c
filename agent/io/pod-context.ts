/** The values that all parts of a pod share: the launch document, the environments, the log, and the signal of the end. */
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { type WorkingEnvironment, workingEnvironment } from "./environment.ts";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { secretTexts } from "./secret-texts.ts";

/** The shared values of one pod. */
export interface PodContext {
	readonly launch: LaunchDocument;
	/** The environment of this process. A program that it starts gets a part of it. */
	readonly inherited: NodeJS.ProcessEnv;
	/** The part of the environment that setup scripts and the coding agent get. */
	readonly env: WorkingEnvironment;
	readonly log: LogBuffer;
	/** It is aborted when the pod ends. */
	readonly ending: AbortController;
	readonly signal: AbortSignal;
}

export function podContext(launch: LaunchDocument, inherited: NodeJS.ProcessEnv): PodContext {
	const log = new LogBuffer([
		launch.pod_token,
		launch.platform_key,
		...(launch.secrets ? secretTexts(launch.secrets) : []),
	]);
	const env = workingEnvironment(inherited, launch, (name) =>
		log.add("WARNING", "session-agent", `The launch may not set the variable "${name}"`),
	);
	const ending = new AbortController();
	return { launch, inherited, env, log, ending, signal: ending.signal };
}
