/** The client of GitHub's API, for git hosts and trackers. */
import { ProviderClient, type ProviderClientOptions } from "../outbound/provider-client.ts";

/** The address of the hosted service. */
export const githubUrl = "https://api.github.com";

/** The most items of one page. */
const pageSize = 100;

/** @param options The `base_url` of an Enterprise Server ends with `/api/v3`. */
export function githubClient(options: Omit<ProviderClientOptions, "headers" | "pages" | "sentenceOf">): ProviderClient {
	return new ProviderClient({
		...options,
		headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
		ask: { ...options.ask, hint: addressHint(options.base_url) },
		// The pages are counted, because a link may lead elsewhere.
		pages: {
			size: { per_page: pageSize },
			next: ({ number, count }) => (count < pageSize ? undefined : number + 1),
		},
		sentenceOf,
	});
}

/** Returns what is wrong with the address of an API without a path, which only GitHub's own service has. */
function addressHint(base_url: string): string | undefined {
	const { hostname, pathname } = new URL(base_url);
	if (pathname !== "/" || hostname.startsWith("api.")) return undefined;
	return "; the base_url of a GitHub Enterprise Server ends with /api/v3, and this one does not";
}

/** Returns the sentence, with the reasons that GitHub adds to that of a 422. */
function sentenceOf(body: unknown): string {
	if (typeof body === "string") return body.slice(0, 2_000);
	if (typeof body !== "object" || body === null) return "";
	const { message, errors }: { message?: unknown; errors?: unknown } = body;
	const reasons = Array.isArray(errors) ? errors.slice(0, 5).flatMap(reasonOf) : [];
	return [typeof message === "string" ? message : "", ...reasons].filter((text) => text !== "").join(": ");
}

function reasonOf(error: unknown): string[] {
	if (typeof error === "string") return [error];
	if (typeof error !== "object" || error === null) return [];
	const { message, field, code }: { message?: unknown; field?: unknown; code?: unknown } = error;
	if (typeof message === "string") return [message];
	return [[field, code].filter((part) => typeof part === "string").join(" ")];
}
