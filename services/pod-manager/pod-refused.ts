/** The refusals of a place where pods run, and the reasons for which pods wait there. */
import { type FailureCode, statusReasons } from "#shared/contracts/sessions/status-reasons.ts";
import type { PodFailure } from "#shared/wire/pod/status.ts";

/** The usual duration of a refusal: a `passing` one is tried again until the time of the launch is over. */
const usual = new Map<FailureCode, "passing" | "final">([
	["IMAGE_PULL_FAILED", "passing"],
	["IMAGE_PULLING", "passing"],
	["IMAGE_INVALID", "final"],
	["CONTAINER_FAILED", "final"],
	["VOLUME_MOUNT_FAILED", "passing"],
	["POD_INVALID", "final"],
	["POD_FORBIDDEN", "final"],
	["UNSCHEDULABLE", "passing"],
	["POD_CANNOT_REACH_PLATFORM", "passing"],
	["ENGINE_UNREACHABLE", "passing"],
	["WORKSPACE_HELD", "passing"],
	["WORKSPACE_PENDING", "passing"],
	["QUOTA_EXCEEDED", "passing"],
	["NAMESPACE_ENDING", "passing"],
	["CLUSTER_UNREACHABLE", "passing"],
	["DISK_FULL", "passing"],
	["OUT_OF_MEMORY", "final"],
	["NODE_SHUTDOWN", "final"],
]);

interface RefusalOptions extends ErrorOptions {
	/** Whether trying again cannot help; default: what is usual for the code. */
	readonly final?: boolean;
}

/**
 * The place does not take the pod. Its sentence is for the user, without secrets. When it is final, the session fails with it;
 * otherwise people read it while the platform tries on.
 */
export class PodRefused extends Error {
	override readonly name = "PodRefused";
	readonly code: FailureCode;
	readonly final: boolean;

	/** @param words The place's own words, if it has any. */
	constructor(
		code: FailureCode,
		words?: string,
		{ final = usual.get(code) === "final", ...options }: RefusalOptions = {},
	) {
		super(podFailure(code, words).message, options);
		this.code = code;
		this.final = final;
	}
}

/** Returns a reason for which a pod waits or has failed: the sentence of its code, and the place's own words. */
export function podFailure(code: FailureCode, words?: string): PodFailure {
	const [sentence] = statusReasons[code];
	return { code, message: words === undefined ? sentence : `${sentence}: ${words}` };
}
