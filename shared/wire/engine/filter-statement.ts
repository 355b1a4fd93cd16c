/**
 * The statement of an engine's filter about itself: for which platform it was started. The filter answers it without the engine, and
 * the platform compares it with what it needs (docs/decisions/0154-the-filter-knows-the-platforms-folders.md).
 */
import { compileSchema } from "#shared/base/schema/validator.ts";

/** The path below the version of the engine's interface, at which an engine has nothing. */
export const filterStatementPath = "/filter";

/** The options of a filter, which whoever may use its socket may know. */
export interface FilterStatement {
	/** The id of the platform's installation. */
	readonly installation: string;
	/** The data folder, without links. */
	readonly data_dir: string;
	/** The images that containers may have; helpers and the probe have the first one. */
	readonly images: readonly string[];
	/** The user and group of sessions. */
	readonly owner: number;
	/** The most memory of a container. */
	readonly max_memory_mb: number;
}

const text = { type: "string", max: 4_096 } as const;
const check = compileSchema({
	installation: text,
	data_dir: text,
	images: { type: "array", items: text, min: 1, max: 1_000 },
	owner: { type: "number", integer: true },
	max_memory_mb: { type: "number" },
});

/** Returns the statement of an answer; undefined for another answer. */
export function filterStatement(answer: unknown): FilterStatement | undefined {
	return isStatement(answer) ? answer : undefined;
}

function isStatement(answer: unknown): answer is FilterStatement {
	return answer instanceof Object && check(answer).length === 0;
}
