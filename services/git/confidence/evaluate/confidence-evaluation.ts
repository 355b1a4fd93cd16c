/**
 * Evaluates merges and keeps what was found. The evidence of a pull request is read for one head commit: when the head is
 * another one before or after the reading, nothing is judged.
 */
import type { Principal } from "#shared/base/principal.ts";
import type { Failure } from "#shared/base/schema/validator.ts";
import type { ParamsOf } from "#shared/contracts/contract.ts";
import type { confidence, ConfidenceHints } from "#shared/contracts/git/confidence.ts";
import { ConflictError, InvalidParametersError } from "#shared/base/errors.ts";
import type { GitProvider, RepositoryPlace } from "../../providers/git-provider.ts";
import { type AssessmentRules, assessPull, type ShownPull } from "../evidence/pull-assessment.ts";
import { capsOf, changeFactors, failed, type Verdict, verdictOf } from "../formula/factors.ts";
import type { EvaluationRecords, NewEvaluation } from "../record/evaluation-records.ts";

export interface ServedRepository {
	readonly provider: Pick<GitProvider, "evidence" | "pull" | "pulls" | "commitsSince">;
	readonly place: RepositoryPlace;
}

/** Returns the repository at this URL as the caller may see it. @throws {ServiceError} when nobody serves it. */
export type FindRepository = (principal: Principal, repoUrl: string) => Promise<ServedRepository>;

type ConfidenceRequest = ParamsOf<typeof confidence.actions.calculate>;

interface ConfidenceEvaluationDependencies {
	readonly records: EvaluationRecords;
	readonly find: FindRepository;
	readonly rules: AssessmentRules;
}

interface NamedPull {
	readonly repo_url: string;
	readonly number: number;
	/** The head that the caller expects, or the beginning of its name. */
	readonly head_sha?: string | null | undefined;
}

export class ConfidenceEvaluation {
	readonly #dependencies: ConfidenceEvaluationDependencies;

	constructor(dependencies: ConfidenceEvaluationDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Returns the text of a new evaluation; that of the first one for a repeated key.
	 * @throws {InvalidParametersError} when neither facts nor a pull request are complete.
	 * @throws {ConflictError} when the head is another commit than the caller expects, or the pull request is not open.
	 */
	async evaluate(principal: Principal, request: ConfidenceRequest, key?: string): Promise<string> {
		const { records, rules } = this.#dependencies;
		const asked = { request, key };
		const first = await records.repeated(principal, asked);
		if (first !== undefined) return first;
		const pull = namedPull(request);
		const made = pull ? await this.#ofPull(principal, pull, request) : ofFacts(request, rules);
		return records.add(principal, made, asked);
	}

	async #ofPull(principal: Principal, named: NamedPull, hints: ConfidenceHints): Promise<NewEvaluation> {
		const { find, rules } = this.#dependencies;
		const { repo_url, number } = named;
		const { provider, place } = await find(principal, repo_url);
		const evidence = await provider.evidence(place, number);
		const pull = await provider.pull(place, number);
		refuseMoved(named, { pull, evidence });
		const { verdict, evidence: found } = assessPull({ pull, evidence }, hints, rules);
		return { ...verdict, repo_url, number, head_sha: evidence.head_sha, evidence: [...found] };
	}
}

/** @throws {ConflictError} */
function refuseMoved({ number, head_sha }: NamedPull, { pull, evidence }: ShownPull): void {
	const expected = head_sha?.toLowerCase() ?? "";
	const head = pull.head_sha.toLowerCase();
	if (!head.startsWith(expected) || evidence.head_sha.toLowerCase() !== head)
		throw new ConflictError(`The head of pull request ${number} is now ${pull.head_sha}`, "HEAD_MOVED", {
			head_sha: pull.head_sha,
		});
	if (pull.status !== "open") throw new ConflictError(`Pull request ${number} is ${pull.status}`, "PULL_NOT_OPEN");
}

/** Returns the pull request of a request; undefined when it names none. @throws {InvalidParametersError} */
function namedPull({ repo_url, number, head_sha }: ConfidenceRequest): NamedPull | undefined {
	const named = { repo_url, number };
	if (isAbsent(repo_url) && isAbsent(number) && isAbsent(head_sha)) return undefined;
	refuseAbsent(named, "A pull request is named by `repo_url` and `number`");
	return { repo_url: repo_url ?? "", number: number ?? 0, head_sha };
}

/** Judges by the caller's facts alone. @throws {InvalidParametersError} */
function ofFacts(hints: ConfidenceHints, { thresholds }: AssessmentRules): NewEvaluation {
	const { tests_pass, lines_changed, files_changed } = hints;
	refuseAbsent({ tests_pass, lines_changed, files_changed }, "Required unless a pull request is named");
	const facts = { ...hints, lines_changed: lines_changed ?? 0, files_changed: files_changed ?? 0 };
	const judge = (): Verdict => {
		if (tests_pass === false) return failed("The tests");
		if (hints.ci_status === "failing") return failed("The checks of the CI");
		return verdictOf([{ name: "tests", tenths: 10 }, ...changeFactors(facts)], capsOf(hints), thresholds);
	};
	return { ...judge(), repo_url: null, number: null, head_sha: null, evidence: [] };
}

function isAbsent(value: unknown): boolean {
	return value === undefined || value === null;
}

function refuseAbsent(members: Readonly<Record<string, unknown>>, message: string): void {
	const missing = Object.entries(members).filter(([, value]) => isAbsent(value));
	const failures = missing.map(([name]): Failure => ({ type: "required", path: [name], message }));
	if (failures.length > 0) throw new InvalidParametersError(failures);
}
