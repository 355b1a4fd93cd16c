/** The paths of objects in a cluster's API, by their kinds. */
import type { Deployed } from "./deployed-objects.ts";

/** The names of the collections that are not the kind in lower case with an `s`. */
const plurals: Readonly<Record<string, string>> = {
	Ingress: "ingresses",
	NetworkPolicy: "networkpolicies",
	PriorityClass: "priorityclasses",
	RuntimeClass: "runtimeclasses",
	StorageClass: "storageclasses",
	ValidatingAdmissionPolicy: "validatingadmissionpolicies",
};

/** Returns the path of a collection. @param namespace Absent: the objects belong to none. */
export function collectionPath(
	{ apiVersion, kind }: Pick<Deployed, "apiVersion" | "kind">,
	namespace?: string,
): string {
	const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
	const plural = plurals[kind] ?? `${kind.toLowerCase()}s`;
	return namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
}

export function objectPath(object: Deployed): string {
	return `${collectionPath(object, object.metadata.namespace)}/${object.metadata.name}`;
}
