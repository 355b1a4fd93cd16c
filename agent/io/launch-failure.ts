/** Why a launch failed: the `failure` of the pod's status. */

export type FailureCode =
	| "WORKSPACE_FAILED"
	| "CLONE_FAILED"
	/** A repository has no such branch. */
	| "BRANCH_UNKNOWN"
	/** A folder of the host cannot be used. */
	| "MOUNT_FAILED"
	| "SETUP_FAILED"
	| "AGENT_START_FAILED"
	| "AGENT_LOST"
	/** The session agent itself has a fault. */
	| "AGENT_CRASHED"
	| "PLATFORM_LOST";

/** The launch failed. The message is a sentence for the user, without secrets. */
export class LaunchFailure extends Error {
	override readonly name = "LaunchFailure";
	readonly code: FailureCode;

	constructor(code: FailureCode, message: string, options?: ErrorOptions) {
		super(message, options);
		this.code = code;
	}
}
