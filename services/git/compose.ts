/** The part for git providers: repositories, pull requests, merge confidence. */
import type { Part, Platform } from "#shared/platform.ts";
import { configuredProviders } from "./providers/configured-providers.ts";
import { ProviderMaker } from "./providers/provider-maker.ts";
import { ProviderRegistry } from "./providers/provider-registry.ts";
import { RepositoryQueries } from "./providers/repository-queries.ts";
import { repositoriesService } from "./repositories.service.ts";

/** @throws {ConfigError} for a git provider that cannot be used. */
export async function compose({ config, outbound }: Platform): Promise<Part> {
	const maker = new ProviderMaker(outbound);
	const registry = new ProviderRegistry(await configuredProviders(config.git, maker), async () => []);
	return { services: [repositoriesService(new RepositoryQueries(registry), maker)] };
}
