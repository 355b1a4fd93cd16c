/**
 * Reports how good the scores were: what became of the pull requests that were evaluated. Their fate is looked up when
 * somebody asks, a few at a time, and kept with the evaluation; what is final is not looked up again.
 */
import type { Principal } from "#shared/base/principal.ts";
import { isoTime, monotonic, now } from "#shared/base/clock.ts";
import type { ParamsOf } from "#shared/contracts/contract.ts";
import type { confidence, Evaluation, Outcome } from "#shared/contracts/git/confidence.ts";
import { repositoryKey } from "#shared/wire/git/repository-key.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { FindRepository, ServedRepository } from "../evaluate/confidence-evaluation.ts";
import type { EvaluationRecords } from "../record/evaluation-records.ts";
import { type PossibleRevert, revertOf, revertWithinMs } from "./revert.ts";
import { lastOfEachPull, scoreBands } from "./score-bands.ts";

type CalibrationQuery = ParamsOf<typeof confidence.actions.calibration>;

interface CalibrationDependencies {
	readonly records: EvaluationRecords;
	readonly find: FindRepository;
	readonly log: ServiceLog;
}

interface NamedEvaluation {
	readonly evaluation: Evaluation;
	readonly repo_url: string;
	readonly number: number;
}

const dayMs = 86_400_000;
/** The most evaluations that a report reads. */
const maxRead = 500;
/** The most pull requests that a report looks up, and the time in which it begins to, in milliseconds. */
const maxLookups = 20;
const lookMs = 5_000;
/** A fate that is not final is looked up again after this time, in milliseconds. */
const rememberedMs = 600_000;

/** A report begins look-ups for 5 s at most. */
export class Calibration {
	readonly #dependencies: CalibrationDependencies;

	constructor(dependencies: CalibrationDependencies) {
		this.#dependencies = dependencies;
	}

	async report(principal: Principal, { repo_url, days }: CalibrationQuery) {
		const { records } = this.#dependencies;
		const read: Evaluation[] = [];
		const since = isoTime(now() - days * dayMs);
		for await (const evaluation of records.recent(principal, { repo_url, since, limit: maxRead + 1 })) {
			// The proofs are not needed, and hundreds of them would fill the memory.
			read.push({ ...evaluation, evidence: [] });
		}
		const last = lastOfEachPull(read.slice(0, maxRead), repositoryKey);
		const found = await this.#lookUp(principal, last);
		const pulls = last.map(({ id, score, outcome }) => ({ score, outcome: found.get(id) ?? outcome ?? undefined }));
		return { bands: scoreBands(pulls), more: read.length > maxRead, computed_at: isoTime() };
	}

	/** Returns the fates that were looked up now, by the id of the evaluation. */
	async #lookUp(principal: Principal, evaluations: readonly Evaluation[]): Promise<Map<string, Outcome>> {
		const { find, records, log } = this.#dependencies;
		const due = evaluations.flatMap((evaluation) => {
			const { repo_url, number } = evaluation;
			return repo_url !== null && number !== null && isDue(evaluation) ? [{ evaluation, repo_url, number }] : [];
		});
		const found = new Map<string, Outcome>();
		const failures: unknown[] = [];
		const until = monotonic() + lookMs;
		const chosen = due.slice(0, maxLookups);
		for (const [repoUrl, ofRepository] of Map.groupBy(chosen, ({ repo_url }) => repo_url)) {
			if (monotonic() > until) break;
			try {
				const history = new RepositoryHistory(await find(principal, repoUrl), oldestOf(ofRepository));
				for (const named of ofRepository) {
					if (monotonic() > until) break;
					const outcome = await history.outcomeOf(named);
					found.set(named.evaluation.id, outcome);
					await records.settle(named.evaluation.id, outcome);
				}
			} catch (error) {
				failures.push(error);
			}
		}
		if (failures.length > 0)
			log.error(`The fate of pull requests cannot be looked up (${failures.length}):`, failures[0]);
		return found;
	}
}

/** Whether a fate may have changed since it was looked up. */
function isDue({ outcome }: Evaluation): boolean {
	if (!outcome) return true;
	const checked = Date.parse(outcome.checked_at);
	const merged = Date.parse(outcome.merged_at ?? "");
	const isFinal = outcome.reverted || checked > merged + revertWithinMs;
	return !isFinal && now() - checked > rememberedMs;
}

/** The time of the first evaluation: all these pull requests were merged later. */
function oldestOf(named: readonly NamedEvaluation[]): string {
	return named.map(({ evaluation }) => evaluation.evaluated_at).toSorted()[0] ?? isoTime();
}

/** The pull requests and commits of one repository since a time; a branch is read once. */
class RepositoryHistory {
	readonly #served: ServedRepository;
	readonly #since: string;
	readonly #candidates = new Map<string, Promise<PossibleRevert[]>>();

	constructor(served: ServedRepository, since: string) {
		this.#served = served;
		this.#since = since;
	}

	async outcomeOf({ number, evaluation }: NamedEvaluation): Promise<Outcome> {
		const { provider, place } = this.#served;
		const pull = await provider.pull(place, number);
		const { status: state, merged_at = null, merge_sha, head_sha, source_branch, target_branch } = pull;
		const checked_at = isoTime();
		if (state !== "merged") return { state, merged_at: null, reverted: false, reverted_by: null, checked_at };
		const at = merged_at ?? evaluation.evaluated_at;
		const shas = [merge_sha, head_sha, evaluation.head_sha].flatMap((sha) => (sha ? [sha] : []));
		const merged = { number, source_branch, shas, mergedAt: Date.parse(at) };
		const revert = revertOf(merged, await this.#candidatesOf(target_branch));
		return {
			state,
			merged_at: isoTime(merged.mergedAt),
			reverted: revert !== undefined,
			reverted_by: revert?.url ?? null,
			checked_at,
		};
	}

	#candidatesOf(branch: string): Promise<PossibleRevert[]> {
		const known = this.#candidates.get(branch);
		if (known) return known;
		const read = this.#read(branch);
		this.#candidates.set(branch, read);
		return read;
	}

	async #read(branch: string): Promise<PossibleRevert[]> {
		const { provider, place } = this.#served;
		const commits = await provider.commitsSince(place, branch, this.#since);
		const pulls = await provider.pulls(place, "merged");
		const ofPulls = pulls
			.filter(({ target_branch }) => target_branch === branch)
			.map(({ title, description, source_branch, merged_at, updated_at, url }) => ({
				text: `${title}\n${description ?? ""}\n${source_branch}`,
				at: merged_at ?? updated_at,
				url,
			}));
		return [...commits.map(({ message, at, url }) => ({ text: message, at, url })), ...ofPulls];
	}
}
