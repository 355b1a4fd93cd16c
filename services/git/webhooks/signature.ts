/** Checks the signatures of webhooks, in constant time. Pure but for the clock. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { now } from "#shared/base/clock.ts";
import type { GitProviderType } from "#shared/contracts/git/repositories.ts";

/** A message as it arrived; names of headers are in lower case. */
export interface Delivery {
	readonly headers: Readonly<Record<string, string | undefined>>;
	readonly body: string;
}

type IsSigned = (secret: string, delivery: Delivery) => boolean;

/** The most that the time in a signature may differ from ours, in milliseconds (Standard Webhooks). */
const toleranceMs = 300_000;
const signingToken = "whsec_";

/** The schemes by type; hosts without an adapter have none. */
const schemes: Readonly<Partial<Record<GitProviderType, IsSigned>>> = {
	github: (secret, { headers, body }) =>
		isEqual(headers["x-hub-signature-256"], `sha256=${hexDigest(Buffer.from(secret), body)}`),
	gitea: (secret, { headers, body }) => {
		const digest = hexDigest(Buffer.from(secret), body);
		const given = headers["x-gitea-signature"];
		return given === undefined ? isEqual(headers["x-hub-signature-256"], `sha256=${digest}`) : isEqual(given, digest);
	},
	gitlab: (secret, delivery) =>
		secret.startsWith(signingToken)
			? hasStandardSignature(secret, delivery)
			: isEqual(delivery.headers["x-gitlab-token"], secret),
};

/** Whether the sender knows the secret. Nobody knows an absent one; the time is the same. */
export function isSigned(type: GitProviderType, secret: string | undefined, delivery: Delivery): boolean {
	const isRight = schemes[type]?.(secret || "no secret is configured", delivery) ?? false;
	return isRight && secret !== undefined && secret !== "";
}

/** GitLab's signing token: a digest over id, time and body, one or more of them separated by blanks. */
function hasStandardSignature(secret: string, { headers, body }: Delivery): boolean {
	const { "webhook-id": id = "", "webhook-timestamp": seconds = "", "webhook-signature": given = "" } = headers;
	const key = Buffer.from(secret.slice(signingToken.length), "base64");
	const digest = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
	const isFresh = /^\d{1,12}$/.test(seconds) && Math.abs(now() - Number(seconds) * 1_000) <= toleranceMs;
	const isRight = given.split(" ", 10).some((one) => isEqual(one, `v1,${digest}`));
	// Anybody can sign with an empty key.
	return isFresh && isRight && key.length > 0;
}

function hexDigest(key: Buffer, body: string): string {
	return createHmac("sha256", key).update(body).digest("hex");
}

/** Compares digests of the texts, which have the same length whatever was given. */
function isEqual(given: string | undefined, right: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(given ?? ""), digest(right)) && given !== undefined;
}
