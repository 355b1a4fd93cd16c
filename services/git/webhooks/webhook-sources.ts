/** Tells which providers of the configuration may send webhooks, and by which secret they are known. */
import { type Config, environmentSecret } from "#shared/config/config.ts";
import type { GitProvider } from "../providers/git-provider.ts";
import type { WebhookSource } from "./webhook-desk.ts";

type HostConfig = Config["git"]["github"];

/** Returns the sources by name. An instance without a secret of its own has that of all instances of its type. */
export function webhookSources(git: Config["git"], providers: readonly GitProvider[]): Map<string, WebhookSource> {
	const hosts = new Map<string, HostConfig>(
		Object.entries({ github: git.github, gitlab: git.gitlab, gitea: git.gitea }),
	);
	return new Map(
		providers.map((provider) => {
			const { name, type } = provider;
			const host = hosts.get(type);
			const instance = host?.instances.find((one) => one.name === name);
			const secret = (instance && secretOf(instance)) || (host && secretOf(host)) || undefined;
			return [name, { type, secret, isHome: (url) => isWebUrl(url) && provider.placeOf(url) !== undefined }];
		}),
	);
}

function secretOf({ webhook_secret, webhook_secret_env }: Pick<HostConfig, "webhook_secret" | "webhook_secret_env">) {
	if (webhook_secret !== "") return webhook_secret;
	return webhook_secret_env === "" ? "" : environmentSecret(webhook_secret_env);
}

/** Messages name repositories by their web pages; other forms mean nothing here. */
function isWebUrl(url: string): boolean {
	return /^https?:\/\//i.test(url);
}
