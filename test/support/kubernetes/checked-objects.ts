/** Checks objects as the API does, by its published schemas. */
import { ConfigMap, PersistentVolumeClaim, Pod, ServiceAccount } from "kubernetes-models/v1";
import { ClusterRefusal } from "./cluster-objects.ts";
import type { StoredObject } from "./label-selection.ts";

const kinds = {
	pods: Pod,
	configmaps: ConfigMap,
	persistentvolumeclaims: PersistentVolumeClaim,
	serviceaccounts: ServiceAccount,
};
/** The longest names of objects and labels (RFC 1123). */
const objectName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** @throws {ClusterRefusal} 404 for an unknown collection, 400 for the wrong kind, 422 for members that the schema does not allow. */
export function checkObject(plural: string, value: unknown): StoredObject {
	checkPlural(plural);
	const Kind = kinds[plural];
	// The checks below are those of the API.
	const object = (value instanceof Object ? value : {}) as StoredObject;
	const { kind, apiVersion } = object;
	if (kind !== Kind.name || apiVersion !== "v1")
		throw new ClusterRefusal(400, "BadRequest", `the object provided is unrecognized: ${apiVersion}/${kind}`);
	try {
		new Kind(structuredClone(object) as never).validate();
	} catch (error) {
		throw invalid(kind, error instanceof Error ? error.message : "invalid");
	}
	if (!objectName.test(object.metadata.name)) throw invalid(kind, "metadata.name: Invalid value");
	return object;
}

/** @throws {ClusterRefusal} 404. */
export function checkPlural(plural: string): asserts plural is keyof typeof kinds {
	if (!isKnown(plural)) throw new ClusterRefusal(404, "NotFound", "the server could not find the requested resource");
}

function isKnown(plural: string): plural is keyof typeof kinds {
	return Object.hasOwn(kinds, plural);
}

function invalid(kind: string, message: string): ClusterRefusal {
	return new ClusterRefusal(422, "Invalid", `${kind} is invalid: ${message}`, [
		{ reason: "FieldValueInvalid", message },
	]);
}
