/** The part of a volume claim, as the cluster's API gives it, that is read. Pure. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { parseJsonObject } from "#shared/base/schema/parsed-json.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { type MeasuredSize, measuredSizeFields } from "#shared/wire/pod/status.ts";
import { annotation, workspaceOf } from "./cluster-names.ts";
import { quantityBytes } from "./quantity.ts";

/** A volume claim, as far as it is read. */
export interface VolumeClaim {
	readonly workspaceId: string;
	readonly uid: string;
	readonly isEnding: boolean;
	/** The size of what is in it, as its session has counted it, and never more than it can have; that of the claim before the first count. */
	readonly size: MeasuredSize;
}

export interface ClaimObject extends KubeObject {
	readonly spec?: { readonly resources?: { readonly requests?: Amounts } };
	readonly status?: { readonly capacity?: Amounts };
}

interface Amounts {
	readonly storage?: string;
}

const check = compileSchema(measuredSizeFields);

/** Returns the claim; undefined for one without the name and the labels of a workspace. */
export function volumeClaim(object: ClaimObject): VolumeClaim | undefined {
	const { uid, deletionTimestamp } = object.metadata;
	const workspaceId = workspaceOf(object.metadata);
	if (workspaceId === undefined || uid === undefined) return undefined;
	return { workspaceId, uid, isEnding: deletionTimestamp !== undefined, size: sizeIn(object) };
}

function sizeIn({ metadata, spec, status }: ClaimObject): MeasuredSize {
	const asked = bytesIn(spec?.resources?.requests);
	const counted = parseJsonObject(metadata.annotations?.[annotation.measured] ?? "");
	// A volume may be larger than it was asked for, which nobody may hold against its session.
	if (!counted || !isSize(counted)) return { bytes: asked };
	const most = Math.max(asked, bytesIn(status?.capacity));
	return { ...counted, bytes: Math.min(counted.bytes, most) };
}

function bytesIn({ storage = "0" }: Amounts = {}): number {
	return quantityBytes(storage);
}

function isSize(value: object): value is MeasuredSize {
	return check(value).length === 0;
}
