/** Offers merge confidence on the bus. */
import type { ServiceSchema } from "moleculer";
import { jsonText } from "#shared/base/schema/json-text.ts";
import { serviceOf } from "#shared/bus/service.ts";
import { confidence } from "#shared/contracts/git/confidence.ts";
import type { Calibration } from "./confidence/calibration/calibration.ts";
import type { ConfidenceEvaluation } from "./confidence/evaluate/confidence-evaluation.ts";
import type { EvaluationRecords } from "./confidence/record/evaluation-records.ts";

export interface ConfidenceServiceDependencies {
	readonly evaluation: ConfidenceEvaluation;
	readonly records: EvaluationRecords;
	readonly calibration: Calibration;
}

export function confidenceService({ evaluation, records, calibration }: ConfidenceServiceDependencies): ServiceSchema {
	return serviceOf(confidence, {
		calculate: async (request, principal, { meta }) =>
			jsonText(await evaluation.evaluate(principal, request, meta.idempotency_key)),

		list: (query, principal, { meta }) => records.list(principal, { ...query, known: meta.if_none_match }),

		calibration: (query, principal) => calibration.report(principal, query),

		get: async ({ evaluation_id }, principal) => jsonText(await records.get(principal, evaluation_id)),
	});
}
