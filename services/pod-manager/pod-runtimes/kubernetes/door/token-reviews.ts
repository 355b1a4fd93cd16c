/** Asks the cluster for which pod a token was made (Kubernetes API, authentication.k8s.io/v1 TokenReview). */
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { Resource } from "#shared/kubernetes/api/resource.ts";
import { launchAudience } from "../objects/pod-manifest.ts";

const reviews: Resource = { group: "authentication.k8s.io", version: "v1", plural: "tokenreviews" };
/** Where a review names the pod that a token is bound to. */
const bound = { name: "authentication.kubernetes.io/pod-name", uid: "authentication.kubernetes.io/pod-uid" };

interface TokenReview {
	readonly status?: {
		readonly authenticated?: boolean;
		readonly audiences?: readonly string[];
		readonly user?: { readonly extra?: Readonly<Record<string, readonly string[]>> };
	};
}

/** The pod that a token was made for, as the cluster says it. */
export interface TokenBearer {
	readonly name: string;
	readonly uid: string;
}

/** Resolves to the pod; undefined for a token of nobody, or for another audience. @throws {ApiError} when the cluster does not say. */
export async function reviewToken(api: ApiClient, token: string): Promise<TokenBearer | undefined> {
	const spec = { token, audiences: [launchAudience] };
	const asked = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec };
	const { status = {} } = await api.createPart<TokenReview>(reviews, undefined, asked, { secrets: [token] });
	// A cluster that knows no audiences names none.
	if (status.authenticated !== true || !status.audiences?.includes(launchAudience)) return undefined;
	return bearerIn(status.user?.extra ?? {});
}

function bearerIn(extra: Readonly<Record<string, readonly string[]>>): TokenBearer | undefined {
	const [name] = extra[bound.name] ?? [];
	const [uid] = extra[bound.uid] ?? [];
	return name === undefined || uid === undefined ? undefined : { name, uid };
}
