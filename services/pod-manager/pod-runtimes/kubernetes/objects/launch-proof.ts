/**
 * Proves that an object was made for a launch. Names and labels can be foreseen by everybody who may make pods in the namespace of
 * sessions; the token of a launch is known to the platform, and to the session agent of that launch alone. Pure.
 */
import { createHmac } from "node:crypto";

/** The kinds of objects with a proof. Each has its own: the account is there before the pod, for everybody to read. */
export type ProvenKind = "Pod" | "ServiceAccount";

/** @returns The value of the annotation `proof`: 43 characters, from which the token cannot be found (RFC 2104). */
export function launchProof(podToken: string, kind: ProvenKind): string {
	return createHmac("sha256", podToken).update(`proof of the launch's ${kind}`).digest("base64url");
}

export function launchProofs(podToken: string): Record<ProvenKind, string> {
	return { Pod: launchProof(podToken, "Pod"), ServiceAccount: launchProof(podToken, "ServiceAccount") };
}
