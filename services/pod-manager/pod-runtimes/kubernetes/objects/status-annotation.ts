/** The last report of a session agent, which is an annotation of its pod. Pure. */
import { parseJsonObject } from "#shared/base/schema/parsed-json.ts";
import type { PatchStep } from "#shared/kubernetes/api/json-patch.ts";
import { annotation } from "./cluster-names.ts";
import type { PodObject } from "./pod-object.ts";

const annotations = "/metadata/annotations";
/** A slash in a name is `~1` (RFC 6901). */
const path = `${annotations}/${annotation.status.replace("/", "~1")}`;

/** Returns the number of the report that a pod has; undefined without one, or when its agent numbers none. */
export function reportNumberOf({ metadata }: PodObject): number | undefined {
	const { number } = parseJsonObject(metadata.annotations?.[annotation.status] ?? "") ?? {};
	return typeof number === "number" ? number : undefined;
}

/** Returns the pod with another report. */
export function withReport(pod: PodObject, report: string): PodObject {
	const { metadata } = pod;
	return { ...pod, metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation.status]: report } } };
}

/** Returns the steps that replace the report of a pod if it is still the one that was read. */
export function reportSteps({ metadata }: PodObject, report: string): PatchStep[] {
	const isOurs: PatchStep = { op: "test", path: "/metadata/uid", value: metadata.uid };
	const former = metadata.annotations;
	if (!former)
		return [
			isOurs,
			{ op: "test", path: annotations, value: null },
			{ op: "add", path: annotations, value: { [annotation.status]: report } },
		];
	return [isOurs, { op: "test", path, value: former[annotation.status] ?? null }, { op: "add", path, value: report }];
}
