/** Offers mappings of repositories on the bus. */
import type { ServiceSchema } from "moleculer";
import { jsonText } from "#shared/base/schema/json-text.ts";
import type { Principal } from "#shared/base/principal.ts";
import { serviceOf } from "#shared/bus/service.ts";
import { type MappingCreate, mappings } from "#shared/contracts/tracker/mappings.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import type { MappingRecords } from "./mappings/mapping-records.ts";
import type { ConnectedTrackers } from "./trackers/connected-trackers.ts";

export function mappingsService(records: MappingRecords, trackers: ConnectedTrackers): ServiceSchema {
	/** Adds the kind of a named connection, which other persons of the tenant have of their own. */
	async function complete(request: MappingCreate, person: Principal): Promise<MappingCreate> {
		const { connection_id = null, tracker = null } = request;
		if (connection_id === null) return request;
		const { connections } = await trackers.of(person);
		const found = connections.find((connection) => connection.id === connection_id);
		if (!found) throw new UnprocessableError("You have no such connection to a tracker", "CONNECTION_UNKNOWN");
		return { ...request, tracker: tracker ?? found.slug };
	}

	return serviceOf(mappings, {
		list: (query, principal, { meta }) => records.list(principal, { ...query, known: meta.if_none_match }),

		create: async (request, principal, { meta }) =>
			jsonText(await records.create(principal, await complete(request, principal), meta.idempotency_key)),

		delete: ({ id }, principal) => records.delete(principal, id),
	});
}
