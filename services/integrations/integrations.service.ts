/** Offers the catalogue and people's connections on the bus. */
import type { ServiceSchema } from "moleculer";
import { jsonText } from "#shared/base/schema/json-text.ts";
import { serviceOf, type RequestContext } from "#shared/bus/service.ts";
import { type ConnectionUpdate, integrations } from "#shared/contracts/integrations/integrations.ts";
import { memoryPage } from "#shared/store/pages/memory-page.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import type { Owner } from "#shared/base/principal.ts";
import type { ConnectionRecords } from "./connections/connection-records.ts";
import { type CheckUrl, refuseOther, refuseSettings, unknownDefinition } from "./connections/connection-rules.ts";
import type { Freshen } from "./connections.service.ts";
import { readCredentials } from "./read-credentials.ts";
import type { ConnectionTests, Probe } from "./testing/connection-test.ts";

interface IntegrationsServiceDependencies {
	readonly records: ConnectionRecords;
	readonly catalogue: Catalogue;
	readonly tests: ConnectionTests;
	readonly checkUrl: CheckUrl;
	readonly probeFor: (ctx: RequestContext) => Probe;
	readonly freshen: Freshen;
}

export function integrationsService(dependencies: IntegrationsServiceDependencies): ServiceSchema {
	const { records, catalogue, tests, checkUrl, probeFor, freshen } = dependencies;
	return serviceOf(integrations, {
		async catalog(page, _principal, { meta: { if_none_match: known } }) {
			const place = ({ name, slug }: { name: string; slug: string }) => ({ value: name, id: slug });
			return memoryPage(await catalogue.entries(), place, { ...page, known });
		},

		list: (page, principal, { meta: { if_none_match: known } }) => records.list(principal, { ...page, known }),

		async create(request, principal, { meta: { idempotency_key } }) {
			const definition = await catalogue.chosen(request);
			if (!definition) throw unknownDefinition(request);
			refuseOther(definition, request);
			refuseSettings(definition, request.config, checkUrl);
			const { slug, integration_type, adapter } = definition;
			const connection = { ...request, integration_type, adapter, slug };
			return jsonText(await records.create(principal, connection, idempotency_key));
		},

		async update({ id, ...update }, principal) {
			await refuseUpdate(principal, id, update);
			return jsonText(await records.change(principal, id, update));
		},

		delete: ({ id }, principal) => records.delete(principal, id),

		async test({ id }, principal, ctx) {
			const connection = await records.get(principal, id);
			await freshen(principal);
			return tests.test(principal, connection, readCredentials(ctx), probeFor(ctx));
		},
	});

	/** Refuses new settings that the definition does not allow. A connection whose entry is gone keeps its own ones. */
	async function refuseUpdate(owner: Owner, id: string, { config }: ConnectionUpdate): Promise<void> {
		const connection = await records.get(owner, id);
		if (!config) return;
		const definition = (await catalogue.definitions()).get(connection.slug);
		if (!definition) throw unknownDefinition({ ...connection });
		refuseSettings(definition, config, checkUrl);
	}
}
