/** Makes the git providers of a person's own connections, which the integrations service keeps. */
import { isPerson, type Principal, systemPrincipal } from "#shared/base/principal.ts";
import { type Caller, call } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { connections, type UsableConnection } from "#shared/contracts/integrations/connections.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { GitProvider } from "./git-provider.ts";
import type { ProviderMaker } from "./provider-maker.ts";

const job = vouch(systemPrincipal("git"));

interface OwnProvidersDependencies {
	/** Returns the bus; undefined until it is connected. */
	readonly bus: () => Caller | undefined;
	readonly maker: ProviderMaker;
	readonly log: ServiceLog;
}

/** Reads the connections anew for each request, so that a change holds at once and no credential is kept. */
export class OwnProviders {
	readonly #dependencies: OwnProvidersDependencies;

	constructor(dependencies: OwnProvidersDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Returns the providers of the person's enabled connections, newest first. When they cannot be read, there are none,
	 * and those of the configuration still work.
	 */
	async of(principal: Principal): Promise<GitProvider[]> {
		const { maker, log } = this.#dependencies;
		const made = (await this.#connections(principal)).map((connection) =>
			maker.ofConnection(connection).catch((error: unknown) => {
				log.error(`The connection ${connection.id} cannot be used as a git provider:`, error);
				return undefined;
			}),
		);
		return (await Promise.all(made)).filter((provider) => provider !== undefined);
	}

	async #connections(principal: Principal): Promise<UsableConnection[]> {
		const bus = this.#dependencies.bus();
		if (!bus || !isPerson(principal)) return [];
		const asked = { tenant: principal.tenant, owner: principal.id, integration_type: "source_control" } as const;
		return call(bus, connections.actions.usable, asked, { meta: { principal: job } }).catch((error: unknown) => {
			this.#dependencies.log.error(
				"Connections cannot be read; only git providers of the configuration are used:",
				error,
			);
			return [];
		});
	}
}
