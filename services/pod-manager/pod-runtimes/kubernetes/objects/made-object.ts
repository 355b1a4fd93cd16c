/** Compares an object of the cluster with the one that was to be made: names can be foreseen. Pure. */
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { annotation } from "./cluster-names.ts";

/** A claim may be filled from another one. */
interface SourcedObject extends KubeObject {
	readonly spec?: {
		readonly dataSource?: { readonly kind?: string };
		readonly dataSourceRef?: { readonly kind?: string };
	};
}

/** Whether a volume claim is on its way out: a pod that was made now would wait for it in vain. */
export function isLeavingClaim({ metadata }: KubeObject, kind: string | undefined): boolean {
	return kind === "PersistentVolumeClaim" && metadata.deletionTimestamp !== undefined;
}

/**
 * Returns how an object differs from the one that was to be made, as the end of a sentence; undefined when it can be taken for that one.
 * The claim of an operator who restores a workspace from a snapshot is taken.
 */
export function differenceOf(present: KubeObject, made: KubeObject): string | undefined {
	const label = differing(present.metadata.labels, made.metadata.labels);
	if (label !== undefined) return `its label "${label}" is another one`;
	const { [annotation.proof]: proof } = made.metadata.annotations ?? {};
	if (proof !== present.metadata.annotations?.[annotation.proof]) return "it was not made by the platform";
	return isCopy(present) ? "it copies another volume" : undefined;
}

function differing(present: Labels = {}, made: Labels = {}): string | undefined {
	return Object.keys(made).find((name) => present[name] !== made[name]);
}

type Labels = Readonly<Record<string, string>>;

function isCopy(present: KubeObject): boolean {
	const { dataSource, dataSourceRef } = (present as SourcedObject).spec ?? {};
	return [dataSource, dataSourceRef].some((source) => source?.kind === "PersistentVolumeClaim");
}
