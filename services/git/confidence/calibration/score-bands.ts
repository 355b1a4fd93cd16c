/** Counts what became of evaluated pull requests by the band of their score. Pure. */
import type { CalibrationBand, Evaluation, Outcome } from "#shared/contracts/git/confidence.ts";

const edges = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 1] as const;

/** A pull request with its last score, and what became of it; undefined when that could not be looked up. */
interface JudgedPull {
	readonly score: number;
	readonly outcome: Outcome | undefined;
}

/** Returns the bands from the lowest; each one has its lower edge, and the last one both. */
export function scoreBands(pulls: readonly JudgedPull[]): CalibrationBand[] {
	return edges.slice(0, -1).map((from, place) => {
		const to = edges[place + 1] ?? 1;
		const isIn = ({ score }: JudgedPull) => score >= from && (score < to || (to === 1 && score === 1));
		return bandOf(from, to, pulls.filter(isIn));
	});
}

function bandOf(from: number, to: number, pulls: readonly JudgedPull[]): CalibrationBand {
	const outcomes = pulls.flatMap(({ outcome }) => (outcome ? [outcome] : []));
	const merged = outcomes.filter(({ state }) => state === "merged");
	const reverted = merged.filter((outcome) => outcome.reverted);
	return {
		from,
		to,
		evaluated: pulls.length,
		merged: merged.length,
		reverted: reverted.length,
		unchecked: pulls.length - outcomes.length,
		merge_rate: rate(merged.length, outcomes.length),
		revert_rate: rate(reverted.length, merged.length),
	};
}

/** Returns the rate with four decimals; null of nothing. */
function rate(part: number, whole: number): number | null {
	return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

/** Returns the last evaluation of each pull request, given the newest first. */
export function lastOfEachPull(evaluations: readonly Evaluation[], keyOf: (url: string) => string): Evaluation[] {
	const last = new Map<string, Evaluation>();
	for (const evaluation of evaluations) {
		const { repo_url, number } = evaluation;
		if (repo_url === null || number === null) continue;
		const key = `${number} ${keyOf(repo_url)}`;
		if (!last.has(key)) last.set(key, evaluation);
	}
	return [...last.values()];
}
