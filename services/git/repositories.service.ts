/** Offers repositories at git providers on the bus. */
import type { Service, ServiceSchema } from "moleculer";
import { type Caller, implement } from "#shared/bus/service.ts";
import { repositories as contract } from "#shared/contracts/git/repositories.ts";
import { memoryPage } from "#shared/store/pages/memory-page.ts";
import { providerInfo, type RepositoryQueries } from "./providers/repository-queries.ts";
import type { ProviderMaker } from "./providers/provider-maker.ts";

interface RepositoriesServiceDependencies {
	readonly queries: RepositoryQueries;
	readonly maker: ProviderMaker;
	/** Gives the bus to those who ask other services. */
	readonly attach: (bus: Caller) => void;
}

export function repositoriesService({ queries, maker, attach }: RepositoriesServiceDependencies): ServiceSchema {
	return {
		name: contract.name,

		created(this: Service) {
			attach(this.broker);
		},

		actions: implement(contract, {
			async providers(page, _principal, { meta: { if_none_match: known } }) {
				const listed = queries.configured().map((one, place) => ({ info: providerInfo(one), place }));
				const { items, ...rest } = memoryPage(listed, ({ info, place }) => ({ value: place, id: info.name }), {
					...page,
					known,
				});
				return { ...rest, items: items.map(({ info }) => info) };
			},

			async branches({ repo_url, ...page }, principal, { meta: { if_none_match: known } }) {
				const [first, ...others] = await queries.branches(principal, repo_url);
				if (first === undefined) return memoryPage([], () => ({ value: "", id: "" }), { ...page, known });
				// The first one has no value, so that it comes before the names of the others.
				const position = (name: string) => ({ value: name === first ? "" : name, id: name });
				return memoryPage([first, ...others], position, { ...page, known });
			},

			validate: ({ repo_url }, principal) => queries.validate(principal, repo_url),

			async of_org({ provider, org, ...page }, principal, { meta: { if_none_match: known } }) {
				const found = await queries.ofOrg(principal, provider, org);
				return memoryPage(found, ({ org: owner, name }) => ({ value: `${owner}/${name}`, id: name }), {
					...page,
					known,
				});
			},

			shared: (_params, principal) => queries.shared(principal),

			missing: ({ repo_urls }, principal) => queries.missing(principal, repo_urls),

			probe: async (connection) => (await maker.ofConnection(connection)).whoAmI(),
		}),
	};
}
