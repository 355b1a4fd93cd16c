/** Says why no MongoDB server could be used, without what the servers said about documents. */
import type { MongoError } from "mongodb";
import { causesOf, topologyOf } from "./mongodb-refusals.ts";

/** The cause in words of the operating system: refused, timed out, unknown name. */
const systemCode = /^E[A-Z_]+$/;

/** Returns the name of the driver's error and its cause. */
export function unreachableReason(error: MongoError): string {
	const cause = systemCause(error) ?? setCause(error);
	return cause === undefined ? error.name : `${error.name}, ${cause}`;
}

/** Returns the codes that the servers' sockets ended with. */
function systemCause(error: MongoError): string | undefined {
	const codes = causesOf(error).flatMap((cause) => ("code" in cause ? [String(cause.code)] : []));
	const known = [...new Set(codes.filter((code) => systemCode.test(code)))];
	return known.length > 0 ? known.join(", ") : undefined;
}

/** Returns what the driver knows about the replica set; servers of another set are not among its servers any more. */
function setCause(error: MongoError): string | undefined {
	const { setName, servers } = topologyOf(error);
	if (typeof setName !== "string" || !(servers instanceof Map)) return undefined;
	if (servers.size === 0) return `no server of its url is a member of the replica set "${setName}" (replicaSet)`;
	const types = [...servers.values()].map(({ type }: { type?: unknown }) => type);
	const answers = types.some((type) => typeof type === "string" && type !== "Unknown");
	return answers
		? `the replica set "${setName}" has no primary that can be reached`
		: `no server of the replica set "${setName}" answers`;
}
