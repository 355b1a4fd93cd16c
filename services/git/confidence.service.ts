/** Offers merge confidence on the bus. */
import type { ServiceSchema } from "moleculer";
import { jsonText } from "#shared/base/schema/json-text.ts";
import { serviceOf } from "#shared/bus/service.ts";
import { confidence } from "#shared/contracts/git/confidence.ts";
import type { ConfidencePart } from "./confidence/confidence-part.ts";

export function confidenceService({ evaluation, records, calibration }: ConfidencePart): ServiceSchema {
	return serviceOf(confidence, {
		calculate: async (request, principal, { meta }) =>
			jsonText(await evaluation.evaluate(principal, request, meta.idempotency_key)),

		list: (query, principal, { meta }) => records.list(principal, { ...query, known: meta.if_none_match }),

		calibration: (query, principal) => calibration.report(principal, query),

		get: async ({ evaluation_id }, principal) => jsonText(await records.get(principal, evaluation_id)),
	});
}
