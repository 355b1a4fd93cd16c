/** Makes reasons of the words of a cluster. Pure. */
import { oneLine } from "#shared/base/one-line.ts";
import type { FailureCode } from "#shared/contracts/sessions/status-reasons.ts";
import type { PodFailure } from "#shared/wire/pod/status.ts";
import { podFailure } from "../../../pod-refused.ts";

/** The most characters of the cluster's words; a registry or a provisioner can answer with a whole page. */
const maxWords = 1_000;

/** The codes of the reasons that a cluster gives. */
export type CodeTable = Readonly<Record<string, FailureCode>>;

/** Returns the code of a reason; undefined for one without a row, such as `constructor`, which every object has. */
export function codeIn(table: CodeTable, reason: string): FailureCode | undefined {
	return Object.hasOwn(table, reason) ? table[reason] : undefined;
}

/** Returns the reason: the sentence of its code, and what the cluster has said. */
export function inClusterWords(code: FailureCode, words = ""): PodFailure {
	const line = wordsOf(words);
	return podFailure(code, line === "" ? undefined : line);
}

/** Returns what the cluster has said, on one line. */
export function wordsOf(words: string): string {
	return oneLine(words, maxWords);
}
