/** Derives the state of a pod from its object in the cluster, which is the only record of it. Pure. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { parseJsonObject } from "#shared/base/schema/parsed-json.ts";
import { type PodFailure, type PodStatus, podStatusFields } from "#shared/wire/pod/status.ts";
import type { Pod, PodState } from "../../../pod-runtime.ts";
import { annotation, launchOf } from "../objects/cluster-names.ts";
import { agentPort, sessionContainer } from "../objects/pod-manifest.ts";
import { containerOf, disruptionOf, type PodObject } from "../objects/pod-object.ts";
import { agentFailure } from "./agent-failure.ts";
import { endReason } from "./pod-ends.ts";
import { heldReason, hopelessReason, silentNode, waitingReason } from "./pod-reasons.ts";
import type { Circumstances } from "./circumstances.ts";

/** Returns the pod; undefined for an object without the name and the labels of a launch. */
export function clusterPod(object: PodObject, circumstances: Circumstances): Pod | undefined {
	const launch = launchOf(object.metadata);
	if (!launch) return undefined;
	const status = reportIn(object);
	const {
		number: _number,
		phase: _phase,
		pid: _pid,
		port: _port,
		host: _host,
		failure: _failure,
		measured: _measured,
		...report
	} = status ?? { timings: {} };
	const state = stateOf(object, status, circumstances);
	const address = addressOf(object);
	return {
		name: object.metadata.name,
		...launch,
		state,
		...report,
		...(address !== undefined && { address }),
		...explained(object, { state, status }, circumstances),
	};
}

type Told = { readonly state: PodState; readonly status: PodStatus | undefined };

/** Returns the reasons: why it has ended or must end, why it does not go on, and a machine that is silent. */
function explained(
	object: PodObject,
	{ state, status }: Told,
	circumstances: Circumstances,
): Pick<Pod, "failure" | "waiting" | "warnings"> {
	if (state === "ready") return warned(status, silentNode(object));
	if (state === "launching" || state === "leaving") {
		const waiting = waitingReason(object, circumstances) ?? (state === "leaving" ? heldReason(object) : undefined);
		return waiting ? { waiting } : {};
	}
	const failure = endReason(object, ownFailure(status)) ?? hopelessReason(object, circumstances);
	return failure ? { failure } : {};
}

/** A session agent that goes on has no failure to tell. */
function ownFailure(status: PodStatus | undefined): PodFailure | undefined {
	return status?.phase === "failed" && status.failure ? agentFailure(status.failure) : undefined;
}

function warned(status: PodStatus | undefined, sentence: string | undefined): Pick<Pod, "warnings"> {
	return sentence === undefined ? {} : { warnings: [...(status?.warnings ?? []), sentence] };
}

function stateOf(object: PodObject, status: PodStatus | undefined, circumstances: Circumstances): PodState {
	if (isOver(object)) return "gone";
	if (hasFailed(object, status, circumstances)) return "failed";
	// A session on a machine that is lost would otherwise be shown as ending for hours.
	if (isEnding(object)) return isLost(object) ? "failed" : "leaving";
	return status?.phase === "ready" && isRunning(object) ? "ready" : "launching";
}

function isOver(object: PodObject): boolean {
	const { phase } = object.status;
	// Nothing ran of a pod that no machine was chosen for.
	const neverRan = isEnding(object) && object.spec.nodeName === undefined;
	return phase === "Succeeded" || phase === "Failed" || neverRan;
}

function isEnding({ metadata }: PodObject): boolean {
	return metadata.deletionTimestamp !== undefined;
}

function isLost(object: PodObject): boolean {
	return disruptionOf(object)?.reason === "DeletionByTaintManager" && silentNode(object) !== undefined;
}

function hasFailed(object: PodObject, status: PodStatus | undefined, circumstances: Circumstances): boolean {
	const isHopeless = hopelessReason(object, circumstances) !== undefined;
	return status?.phase === "failed" || hasEnded(object) || isHopeless;
}

/** Whether the session's container has ended, which the pod as a whole follows. */
function hasEnded(object: PodObject): boolean {
	return containerOf(object, sessionContainer)?.state?.terminated !== undefined;
}

function isRunning(object: PodObject): boolean {
	return containerOf(object, sessionContainer)?.state?.running !== undefined;
}

/** Returns what the session agent has reported; undefined before its first report. */
function reportIn({ metadata }: PodObject): PodStatus | undefined {
	const reported = parseJsonObject(metadata.annotations?.[annotation.status] ?? "");
	return reported && isStatus(reported) ? reported : undefined;
}

const check = compileSchema(podStatusFields);

function isStatus(value: object): value is PodStatus {
	return check(value).length === 0;
}

/** Returns the base URL of the session agent, once the pod has an address. */
function addressOf({ status }: PodObject): string | undefined {
	return status.podIP === undefined || status.podIP === "" ? undefined : `http://${status.podIP}:${agentPort}`;
}
