/** Why a launch failed: the `failure` of the pod's status. */
import { type AgentFailureCode, statusReasons } from "#shared/contracts/sessions/status-reasons.ts";

/** The launch failed. The message is a sentence for the user, without secrets. */
export class LaunchFailure extends Error {
	override readonly name = "LaunchFailure";
	readonly code: AgentFailureCode;

	constructor(code: AgentFailureCode, message: string = statusReasons[code][0], options?: ErrorOptions) {
		super(message, options);
		this.code = code;
	}
}
