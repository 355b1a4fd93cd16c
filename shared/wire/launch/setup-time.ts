/**
 * The time that a launch has for its clones and setup scripts (`pods.setup_minutes`). The stored launch carries it, so that the
 * platform, which gives up on a launch, and the pod, which ends its scripts, agree.
 */
import { usualSetupMinutes } from "#shared/config/setup-minutes.ts";
import type { LaunchSettings } from "../pod/launch.ts";

/** The part that is left for the start of the agent and the report of a failure, in milliseconds. */
const restMs = 20_000;

type TimedLaunch = Pick<LaunchSettings, "setup_minutes">;

/** Returns how long the platform waits for the launch to be ready, in milliseconds. */
export function provisioningMs({ setup_minutes = usualSetupMinutes }: TimedLaunch): number {
	return setup_minutes * 60_000;
}

/** Returns how long the clones may take, and then the scripts together, in milliseconds. */
export function setupMs(launch: TimedLaunch): number {
	return provisioningMs(launch) - restMs;
}
