/** Offers saved prompts on the bus. */
import type { ServiceSchema } from "moleculer";
import { jsonText } from "#shared/base/schema/json-text.ts";
import { serviceOf } from "#shared/bus/service.ts";
import { prompts } from "#shared/contracts/blueprints/prompts.ts";
import type { PromptRecords } from "./prompts/prompt-records.ts";

export function promptsService(records: PromptRecords): ServiceSchema {
	return serviceOf(prompts, {
		list: (query, principal, { meta }) => records.list(principal, { ...query, known: meta.if_none_match }),

		search: ({ q, ...page }, principal, { meta }) =>
			records.search(principal, q, { ...page, known: meta.if_none_match }),

		create: async (request, principal, { meta }) =>
			jsonText(await records.create(principal, request, meta.idempotency_key)),

		update: async ({ id, ...update }, principal) => jsonText(await records.change(principal, id, update)),

		delete: ({ id }, principal) => records.delete(principal, id),
	});
}
