/** Puts merge confidence together: evaluations, their lists, what became of them. */
import type { Config } from "#shared/config/config.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { Calibration } from "./calibration/calibration.ts";
import { ConfidenceEvaluation, type FindRepository } from "./evaluate/confidence-evaluation.ts";
import { PathCategories } from "./formula/path-categories.ts";
import { EvaluationRecords } from "./record/evaluation-records.ts";

interface ConfidenceDependencies {
	readonly workflow: Config["git"]["workflow"];
	readonly store: Documents;
	readonly find: FindRepository;
	readonly log: ServiceLog;
}

/** Merge confidence as the part for git providers uses it. */
export interface ConfidencePart {
	readonly records: EvaluationRecords;
	readonly evaluation: ConfidenceEvaluation;
	readonly calibration: Calibration;
}

export function confidencePart({ workflow, store, find, log }: ConfidenceDependencies): ConfidencePart {
	const records = new EvaluationRecords(store);
	const paths = new PathCategories(workflow.confidence);
	return {
		records,
		evaluation: new ConfidenceEvaluation({ records, find, rules: { paths, thresholds: workflow } }),
		calibration: new Calibration({ records, find, log }),
	};
}
