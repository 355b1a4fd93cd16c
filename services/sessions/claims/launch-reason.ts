/** The reason why a launch is not ready yet, in words for the person who waits for it. Pure. */
import { cutToJsonBytes } from "#shared/base/answer-size.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { Observation } from "#shared/contracts/sessions/session-work.ts";
import type { ReasonCode } from "#shared/contracts/sessions/status-reasons.ts";
import type { StoredStatus } from "../record/session-lifecycle.ts";
import { reasonFor } from "../record/status-reason.ts";

type Reason = NonNullable<Session["status_reason"]>;
type Told = Pick<Reason, "code" | "message">;

const cloning = "CLONING" satisfies ReasonCode;
/** The most bytes of the sentence as JSON. */
const maxSentence = 1_024;

/** The codes of launches that nothing holds up, or something other than their pods. A runtime may have codes of its own. */
const others: ReadonlySet<string> = new Set<ReasonCode>([
	"LAUNCH_REQUESTED",
	"LAUNCH_WAITS",
	"POD_PREPARING",
	"CLONING",
	"BUDGET_EXCEEDED",
	"HOST_AWAY",
]);

export function isStarting(status: StoredStatus): status is "starting" | "provisioning" {
	return status === "starting" || status === "provisioning";
}

/** Returns the reason that replaces the shown one; undefined when people would read the same. */
export function launchReason(
	shown: Reason,
	status: "starting" | "provisioning",
	observed: Observation,
): Reason | undefined {
	const told = toldNow(shown, status, observed);
	if (!told) return undefined;
	return { ...shown, code: told.code, message: cutToJsonBytes(told.message, maxSentence) };
}

function toldNow(shown: Reason, status: "starting" | "provisioning", observed: Observation): Told | undefined {
	const { phase, progress, waiting } = observed;
	// The words of a place may differ with each attempt, such as the time of the next one.
	if (waiting) return waiting.code === shown.code ? undefined : waiting;
	const isLaunching = status === "provisioning" && phase === "launching";
	if (isLaunching && progress !== undefined) {
		const isShown = cutToJsonBytes(progress, maxSentence) === shown.message;
		return isShown ? undefined : { code: cloning, message: progress };
	}
	const isOver = isWaiting(shown) || (isLaunching && shown.code === cloning);
	return isOver ? reasonFor(status, 0) : undefined;
}

/** Returns the reason for which a launch waits, as far as it is known: a pass that saw nothing leaves the shown one. */
export function knownWaiting(shown: Reason | null, { phase, waiting }: Observation): Told | undefined {
	if (waiting || phase !== "blocked") return waiting;
	return shown && isWaiting(shown) ? shown : undefined;
}

function isWaiting({ code }: Told): boolean {
	return !others.has(code);
}
