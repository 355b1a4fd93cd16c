/** Tells which providers of the configuration may send webhooks, and by which secret they are known. */
import { type Config, environmentSecret } from "#shared/config/config.ts";
import { gitHostTypes } from "#shared/base/git-hosts.ts";
import type { GitProvider } from "../providers/git-provider.ts";
import { isNamed } from "../providers/provider-registry.ts";
import type { WebhookSource } from "./webhook-desk.ts";

type HostConfig = Config["git"]["github"];

/** Returns the sources by name. An instance without a secret of its own has that of all instances of its type. */
export function webhookSources(git: Config["git"], providers: readonly GitProvider[]): Map<string, WebhookSource> {
	const hosts = new Map<string, HostConfig>(gitHostTypes.map((type) => [type, git[type]]));
	return new Map(
		providers.flatMap((provider) => {
			const { name, type, webhooks } = provider;
			if (!webhooks) return [];
			const host = hosts.get(type);
			const instance = host?.instances.find((one) => one.name === name);
			const secret = (instance && secretOf(instance)) || (host && secretOf(host)) || undefined;
			return [[name, { webhooks, secret, isHome: (url: string) => isHome(provider, url) }]];
		}),
	);
}

function secretOf({ webhook_secret, webhook_secret_env }: Pick<HostConfig, "webhook_secret" | "webhook_secret_env">) {
	if (webhook_secret !== "") return webhook_secret;
	return webhook_secret_env === "" ? "" : environmentSecret(webhook_secret_env);
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
