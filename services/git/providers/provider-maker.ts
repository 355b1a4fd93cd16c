/** Makes git providers: those of the configuration, and those of users' connections. */
import { baseUrl } from "#shared/base/base-url.ts";
import { loadAdapter } from "#shared/config/adapter.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import type { Outbound } from "#shared/net/outbound/outbound.ts";
import { type GitProvider, type GitProviderOptions, gitProviderMethods } from "./git-provider.ts";

/** The part of a user's connection that a provider is made of. */
interface ConnectionSettings {
	/** The short name of an adapter, or a module; it comes from configuration files and never from a user. */
	readonly adapter: string;
	readonly config: Readonly<Record<string, string>>;
	readonly credential: Readonly<Record<string, string>>;
}

/** Makes providers that send their requests by one way out. */
export class ProviderMaker {
	readonly #outbound: Pick<Outbound, "send">;

	constructor(outbound: Pick<Outbound, "send">) {
		this.#outbound = outbound;
	}

	/** Returns the provider of an adapter by its module, or by its short name: that of its folder. */
	async make(adapter: string, options: Omit<GitProviderOptions, "outbound">): Promise<GitProvider> {
		const own = `services/git/git-providers/${adapter}/${adapter}.ts#Provider`;
		const module = adapter.includes("#") ? adapter : own;
		return loadAdapter<GitProvider>({ adapter: module, kwargs: {}, secret_kwargs_env: {} }, gitProviderMethods, {
			...options,
			outbound: this.#outbound,
		});
	}

	/**
	 * Returns the provider of a connection; its address is a user's, so it is checked like one.
	 * @throws {UnprocessableError} when the address cannot be used.
	 */
	async ofConnection({ adapter, config, credential }: ConnectionSettings): Promise<GitProvider> {
		const base_url = config["base_url"] || undefined;
		if (base_url !== undefined && !URL.canParse(base_url))
			throw new UnprocessableError(`The connection's address "${base_url.slice(0, 100)}" is no URL`, "URL_REFUSED");
		return this.make(adapter, {
			name: config["name"] || adapter,
			base_url: base_url && baseUrl(base_url),
			token: credential["token"] ?? credential["access_token"] ?? "",
			orgs: listOf(config["orgs"] || config["groups"]),
			isConfigured: false,
		});
	}
}

/** Returns the members of a list with commas. */
function listOf(text = ""): string[] {
	return text.split(",").flatMap((member) => member.trim() || []);
}
