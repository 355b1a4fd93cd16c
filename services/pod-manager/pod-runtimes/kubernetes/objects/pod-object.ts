/** The part of a pod, as the cluster's API gives it, that is kept and read (Kubernetes API, core/v1 Pod). */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { annotation, label } from "./cluster-names.ts";

const text = { type: "string" } as const;
const optionalText = { ...text, optional: true } as const;
const texts = { type: "record", key: text, value: text, optional: true } as const;
const code = { type: "number", integer: true } as const;

const condition = { type: text, status: text, reason: optionalText, message: optionalText } as const;

const containerEnd = {
	exitCode: code,
	reason: optionalText,
	message: optionalText,
	startedAt: optionalText,
	finishedAt: optionalText,
} as const;

const containerState = {
	waiting: { type: "object", props: { reason: optionalText, message: optionalText }, optional: true },
	running: { type: "object", props: { startedAt: optionalText }, optional: true },
	terminated: { type: "object", props: containerEnd, optional: true },
} as const;

const containerStatus = { name: text, state: { type: "object", props: containerState, optional: true } } as const;
const containerStatuses = { type: "array", items: { type: "object", props: containerStatus }, optional: true } as const;

const podFields = schema({
	metadata: {
		type: "object",
		props: {
			name: text,
			uid: text,
			resourceVersion: text,
			labels: texts,
			annotations: texts,
			deletionTimestamp: optionalText,
			finalizers: { type: "array", items: text, optional: true },
		},
	},
	spec: { type: "object", props: { nodeName: optionalText, serviceAccountName: optionalText } },
	status: {
		type: "object",
		props: {
			phase: optionalText,
			reason: optionalText,
			message: optionalText,
			podIP: optionalText,
			conditions: { type: "array", items: { type: "object", props: condition }, optional: true },
			initContainerStatuses: containerStatuses,
			containerStatuses,
		},
	},
});

/** A pod with the members that the platform reads. */
export type PodObject = Output<typeof podFields>;
type ContainerStatus = Output<typeof containerStatus>;
export type ContainerEnd = Output<typeof containerEnd>;
export type PodCondition = Output<typeof condition>;

const check = compileSchema(podFields);

/** The most rows of a list that are kept: pods of sessions have a few containers, conditions and finalizers. */
const maxRows = 32;
/** The most characters of a text, such as the last words of a container, and of the agent's report. */
const [maxText, maxReport] = [4_096, 16_384];

/**
 * Returns the members that are read, of about 1 KB, however much somebody has written into the pod; undefined for an object without the
 * shape of a pod.
 */
export function podObject(value: unknown): PodObject | undefined {
	const copy: unknown = JSON.parse(JSON.stringify(partsOf(value)), bounded);
	return isPod(copy) ? copy : undefined;
}

/** The cluster writes null for a time that nobody knows, such as the end of a container that a machine has not found. */
function bounded(name: string, value: unknown): unknown {
	if (value === null) return undefined;
	if (Array.isArray(value)) return value.slice(0, maxRows);
	return typeof value === "string" && name !== annotation.status ? value.slice(0, maxText) : value;
}

/** Leaves out at once what is most of a pod: its containers and volumes, who has changed which member, and what is of others. */
function partsOf(value: unknown): unknown {
	const { metadata, spec, status } = Object(value);
	const { nodeName, serviceAccountName } = Object(spec);
	return {
		metadata: metadataOf(Object(metadata)),
		spec: {
			...(nodeName !== undefined && { nodeName }),
			...(serviceAccountName !== undefined && { serviceAccountName }),
		},
		status: status ?? {},
	};
}

function metadataOf({ labels, annotations, managedFields: _fields, ...meta }: Readonly<Record<string, unknown>>) {
	return {
		...meta,
		labels: ownOf(Object(labels)),
		...(annotations instanceof Object && { annotations: readOf(Object(annotations)) }),
	};
}

/** Returns the annotations that are read of a pod. */
function readOf({ [annotation.status]: report, [annotation.proof]: proof }: Readonly<Record<string, unknown>>) {
	const isReport = typeof report === "string" && report.length <= maxReport;
	return {
		...(isReport && { [annotation.status]: report }),
		...(proof !== undefined && { [annotation.proof]: proof }),
	};
}

/** Returns the labels that the platform has made. */
function ownOf(labels: object): object {
	const own: ReadonlySet<string> = new Set(Object.values(label));
	return Object.fromEntries(Object.entries(labels).filter(([name]) => own.has(name)));
}

/** Checks the object, and removes the members that the schema does not have. */
function isPod(value: unknown): value is PodObject {
	return check(value).length === 0;
}

/** Returns a condition of the pod, such as `PodScheduled`; undefined when it has none. */
export function conditionOf({ status }: PodObject, type: string): PodCondition | undefined {
	return status.conditions?.find((one) => one.type === type);
}

/** Returns the condition that says why the cluster ends the pod; undefined when nothing in the cluster disturbs it. */
export function disruptionOf(object: PodObject): PodCondition | undefined {
	const disruption = conditionOf(object, "DisruptionTarget");
	return disruption?.status === "True" ? disruption : undefined;
}

/** Returns the status of a container; undefined while the cluster has none. */
export function containerOf({ status }: PodObject, name: string): ContainerStatus | undefined {
	return status.containerStatuses?.find((one) => one.name === name);
}
