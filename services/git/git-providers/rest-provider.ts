/** The parts of GitLab's and Gitea's adapters that are alike: hosts whose API is below the address of their web pages. */
import type { IncomingHttpHeaders } from "node:http";
import { ProviderClient } from "#shared/net/outbound/provider-client.ts";
import type { GitProviderOptions } from "../providers/git-provider.ts";
import { isAt, pathBelow, repositoryAddress, webHost } from "../providers/repository-place.ts";
import { HostAdapter, type PullOperations, type PullWords } from "./host-adapter.ts";
import { readPages, type WantedPages } from "./read-pages.ts";

interface RestHost {
	/** The name of the product in sentences. */
	readonly product: string;
	/** The path of the API below the web pages. */
	readonly api: string;
	/** The most requests of an operation; absent: those of `outboundFetch`. */
	readonly calls?: number;
	/** Returns the number of the next page from the headers of an answer; undefined after the last one. */
	readonly next: (headers: IncomingHttpHeaders) => number | undefined;
	readonly words: PullWords;
	readonly pulls: PullOperations<ProviderClient>;
}

/** One account at one such host. */
export abstract class RestProvider extends HostAdapter<ProviderClient> {
	readonly #kind: RestHost;
	/** The address of the web pages, without a slash at its end. */
	readonly #web: string;

	/** @param base_url The address of the web pages; people also give that of the API. */
	constructor(options: GitProviderOptions, base_url: string, kind: RestHost) {
		const address = base_url.replace(/\/$/, "");
		const web = address.endsWith(kind.api) ? address.slice(0, -kind.api.length) : address;
		super(options, webHost(web), kind.words, kind.pulls);
		this.#kind = kind;
		this.#web = web;
	}

	gitCredential(): { username: string; password: string } {
		return { username: "oauth2", password: this.options.token };
	}

	/** Returns the parts of a repository's path; none when the URL is at another host. */
	protected partsOf(url: string): readonly string[] {
		const address = repositoryAddress(url);
		return (address && isAt(address, this.host) && pathBelow(address, this.#web)) || [];
	}

	/** @param asked The end of the sentences of errors. */
	protected client(asked: string): ProviderClient {
		const { outbound, token, isConfigured, bounds } = this.options;
		const { product, api, calls } = this.#kind;
		return new ProviderClient({
			outbound,
			base_url: `${this.#web}${api}`,
			isConfigured,
			// A bearer may be a personal, group or project token, and one of OAuth.
			headers: token === "" ? {} : { authorization: `Bearer ${token}` },
			ask: { provider: `${product} "${this.name}"`, asked, secrets: [token] },
			bounds: { ...(calls !== undefined && { calls }), ...bounds },
		});
	}

	/** Resolves with the items of a list. */
	protected async list<T>(client: ProviderClient, wanted: Omit<WantedPages<T>, "next">): Promise<T[]> {
		return (await readPages(client, { ...wanted, next: this.#kind.next })).items;
	}
}
