/** Tells which providers of the configuration may send webhooks, and by which secret they are known. */
import type { ConfiguredProvider } from "../providers/configured-providers.ts";
import type { GitProvider } from "../providers/git-provider.ts";
import { isNamed } from "../providers/provider-registry.ts";
import type { WebhookSource } from "./webhook-receiver.ts";

export function webhookSources(configured: readonly ConfiguredProvider[]): Map<string, WebhookSource> {
	return new Map(
		configured.flatMap(({ provider, webhookSecret: secret }) => {
			const { name, webhooks } = provider;
			return webhooks ? [[name, { webhooks, secret, isHome: (url: string) => isHome(provider, url) }]] : [];
		}),
	);
}

/**
 * Whether a repository is one of this instance. Several instances may be at one host, each for organizations of its own
 * and with a secret of its own, so that the host alone says nothing. Messages name repositories by their web pages;
 * other forms mean nothing here.
 */
function isHome(provider: GitProvider, url: string): boolean {
	const place = /^https?:\/\//i.test(url) ? provider.placeOf(url) : undefined;
	return place !== undefined && (provider.orgs.length === 0 || isNamed({ provider, place }));
}
