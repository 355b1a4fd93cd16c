/**
 * Proves that an object was made for a launch. Names and labels can be foreseen by everybody who may make pods in the namespace of
 * sessions; the token of a launch is known to the platform, and to the session agent of that launch alone. Pure.
 */
import { createHmac } from "node:crypto";

/** The use of the token's MAC, so that it is no MAC of anything else. */
const use = "the object of a launch";

/** @returns The value of the annotation `proof`: 43 characters, from which the token cannot be found (RFC 2104). */
export function launchProof(podToken: string): string {
	return createHmac("sha256", podToken).update(use).digest("base64url");
}
