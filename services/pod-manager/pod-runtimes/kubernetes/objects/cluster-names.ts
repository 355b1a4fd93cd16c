/**
 * The names and labels of the objects of sessions in a cluster. Names are deterministic, so that a repeated step has no further
 * effect; objects are found by their labels. Pure.
 */
import { createHash } from "node:crypto";
import { podName } from "../../../pod-runtime.ts";
import { isSessionId, type Launch, parseLaunch } from "../../launches/launch.ts";

/** The domain of all labels, annotations, and kinds of the platform. */
const domain = "atelier.dev";

/** It keeps a pod that has ended until its reason was read. */
export const finalizer = `${domain}/records`;

/** The labels of the objects of sessions. */
export const label = {
	name: "app.kubernetes.io/name",
	installation: `${domain}/installation`,
	session: `${domain}/session`,
	generation: `${domain}/generation`,
	workspace: `${domain}/workspace`,
	owner: `${domain}/owner`,
	tenant: `${domain}/tenant`,
	/** The egress profile, by which network policies select pods. */
	egress: `${domain}/egress`,
} as const;

/** The annotations of pods and volume claims. */
export const annotation = {
	/** The last report of the session agent, as JSON. */
	status: `${domain}/status`,
	/** The last size of a volume's content, as JSON; it is an annotation of the claim. */
	measured: `${domain}/measured`,
	/** Shows that the platform has made the object for its launch, whose name and labels anybody could foresee (launch-proof.ts). */
	proof: `${domain}/proof`,
} as const;

/** The value of `app.kubernetes.io/name` by which network policies and people select the pods of sessions. */
export const sessionName = "atelier-session";

/** The beginning of the names of pods and accounts. */
const prefix = "session-";

export function objectName({ sessionId, generation }: Launch): string {
	return podName(sessionId, generation);
}

/** Returns the launch whose objects have the name; undefined for another name. */
export function launchNamed(name: string): Launch | undefined {
	const launch = name.startsWith(prefix) ? parseLaunch(name.slice(prefix.length)) : undefined;
	return launch && launch.generation > 0 && objectName(launch) === name ? launch : undefined;
}

export function volumeClaimName(workspaceId: string): string {
	return `workspace-${workspaceId}`;
}

/** Returns a label's value for an id of a person or a tenant, which may have any characters. */
export function labelOf(id: string): string {
	return createHash("sha256").update(id).digest("hex").slice(0, 32);
}

/** The part of an object's metadata that says whose it is. */
interface Named {
	readonly name: string;
	readonly labels?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the launch of an object; undefined for one that is nobody's. Others in the cluster can give their objects any labels: one id
 * that is none would have the sessions service refuse the question about all of them, and nobody could end a pod of another name.
 */
export function launchOf({ name, labels = {} }: Named): Launch | undefined {
	const { [label.session]: sessionId = "", [label.generation]: generation = "" } = labels;
	if (!isSessionId(sessionId) || !/^[1-9]\d{0,8}$/.test(generation)) return undefined;
	const launch = { sessionId, generation: Number(generation) };
	return name === objectName(launch) ? launch : undefined;
}

/** Returns the id of the workspace of a claim; undefined for a claim that is nobody's. */
export function workspaceOf({ name, labels = {} }: Named): string | undefined {
	const { [label.workspace]: workspaceId = "" } = labels;
	return isSessionId(workspaceId) && name === volumeClaimName(workspaceId) ? workspaceId : undefined;
}

/** Returns a selector of labels (Kubernetes, "Labels and Selectors"). */
export function selectorOf(labels: Readonly<Record<string, string>>): string {
	return Object.entries(labels)
		.map(([name, value]) => `${name}=${value}`)
		.join(",");
}
