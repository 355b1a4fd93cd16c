/** The part for git providers: repositories, pull requests, merge confidence. */
import type { Caller } from "#shared/bus/service.ts";
import type { Part, StoringPlatform } from "#shared/platform.ts";
import { configuredProviders } from "./providers/configured-providers.ts";
import { OwnProviders } from "./providers/own-providers.ts";
import { ProviderMaker } from "./providers/provider-maker.ts";
import { ProviderRegistry } from "./providers/provider-registry.ts";
import { RepositoryQueries } from "./providers/repository-queries.ts";
import { pullCollection } from "./pulls/pull-collection.ts";
import { PullCreations } from "./pulls/pull-creations.ts";
import { PullMerges } from "./pulls/pull-merges.ts";
import { PullQueries } from "./pulls/pull-queries.ts";
import { PullRecords } from "./pulls/pull-records.ts";
import { pullsService } from "./pulls.service.ts";
import { repositoriesService } from "./repositories.service.ts";

export const collections = [pullCollection] as const;

/** @throws {ConfigError} for a git provider that cannot be used. */
export async function compose({ config, outbound, store, relay, log }: StoringPlatform): Promise<Part> {
	const maker = new ProviderMaker(outbound);
	const configured = await configuredProviders(config.git, maker);
	let bus: Caller | undefined;
	const own = new OwnProviders({ bus: () => bus, maker, log });
	const registry = new ProviderRegistry(configured, (principal) => own.of(principal));
	const records = new PullRecords(store, () => relay.wake());
	const { workflow } = config.git;
	const pulls = {
		creations: new PullCreations({ registry, records, rules: workflow }),
		queries: new PullQueries(registry, records),
		merges: new PullMerges(registry, records, workflow.default_merge_method),
	};
	const attach = (caller: Caller) => {
		bus = caller;
	};
	const repositories = repositoriesService({ queries: new RepositoryQueries(registry), maker, attach });
	return { services: [repositories, pullsService(pulls)] };
}
