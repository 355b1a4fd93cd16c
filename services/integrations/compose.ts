/** The integrations part: the catalogue, people's connections, and what sessions and other services get of them. */
import { resolve } from "node:path";
import type { Part, StoringPlatform } from "#host/platform.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { Catalogue } from "./catalogue/catalogue.ts";
import { connectionProbes } from "./connection-probes.ts";
import { connectionCollection } from "./connections/connection-collection.ts";
import type { Owner } from "#shared/base/principal.ts";
import { ConnectionRecords } from "./connections/connection-records.ts";
import { connectionsService } from "./connections.service.ts";
import { integrationsService } from "./integrations.service.ts";
import { oauthGrantCollection } from "./oauth/oauth-grants.ts";
import { oauthStateCollection } from "./oauth/oauth-states.ts";
import { oauthPart } from "./oauth-part.ts";
import { oauthService } from "./oauth.service.ts";
import { ConnectionTests } from "./testing/connection-test.ts";
import { ConnectionUses } from "./connection-uses/connection-uses.ts";

export const collections = [connectionCollection, oauthStateCollection, oauthGrantCollection] as const;

/** The definitions that belong to the project. */
const builtIn = "config/integrations";

/** Reads the definitions once, so that the log of the start names those that cannot be used. */
export async function compose(platform: StoringPlatform): Promise<Part> {
	const { config, store, log, outbound } = platform;
	const { folder, max_per_user, injected } = config.integrations;
	const folders = [builtIn, ...(folder === "" ? [] : [folder])].map((path) => resolve(projectRoot, path));
	const catalogue = new Catalogue(folders, log);
	await catalogue.definitions();
	const records = new ConnectionRecords(store, max_per_user);
	const { refresh, ...oauth } = oauthPart(platform, catalogue, records);
	const freshen = (owner: Owner) => refresh.freshen({ tenant: owner.tenant, owner: owner.id });
	return {
		services: [
			integrationsService({
				records,
				catalogue,
				tests: new ConnectionTests(catalogue, log),
				checkUrl: (url) => outbound.check(url),
				probeFor: connectionProbes(outbound),
				freshen,
			}),
			connectionsService(new ConnectionUses(records, catalogue, injected), freshen),
			oauthService(oauth),
		],
		drain: () => refresh.settled(),
	};
}
