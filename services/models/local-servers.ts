/** Knows which servers of local models do not run. People start and end them at any time, so they are asked again after some seconds. */
import { monotonic } from "#shared/base/clock.ts";
import { awayServer } from "#shared/model-proxy/provider/away-server.ts";
import type { ModelProvider } from "#shared/wire/models/model-catalogue.ts";

/** The age at which an answer is too old, in milliseconds. */
const freshMs = 3_000;

/** The reasons by the ids of providers. A provider that is not in it may be used. */
type AwayServers = ReadonlyMap<string, string>;

export class LocalServers {
	readonly #providers: readonly ModelProvider[];
	#asked: { readonly at: number; readonly away: Promise<AwayServers> } | undefined;

	/** @param providers Those in the cloud are left alone. */
	constructor(providers: readonly ModelProvider[]) {
		this.#providers = providers.filter(({ location }) => location === "local");
	}

	/** Resolves within a second. Questions at the same time share the connections. */
	away(): Promise<AwayServers> {
		if (this.#asked === undefined || monotonic() - this.#asked.at > freshMs)
			this.#asked = { at: monotonic(), away: this.#ask() };
		return this.#asked.away;
	}

	async #ask(): Promise<AwayServers> {
		const answers = this.#providers.map(async ({ id, endpoints }) => {
			const sentence = await awayServer({ provider: id, endpoints });
			return sentence === undefined ? [] : [[id, sentence] as const];
		});
		return new Map((await Promise.all(answers)).flat());
	}
}
