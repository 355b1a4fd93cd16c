/** The parts of all adapters that are alike: what they are called, and what they ask about pull requests. */
import type {
	CiStatus,
	GitProviderOptions,
	MergeRequest,
	NewPullRequest,
	PullEvidence,
	PullRequest,
	PullState,
	RepositoryPlace,
} from "../providers/git-provider.ts";
import { shownPlace } from "../providers/repository-place.ts";
import { type SomeChecks, sumOfChecks } from "./sum-of-checks.ts";

type Branches = Pick<NewPullRequest, "head" | "base">;

/** The questions about pull requests to one kind of host. @typeParam C Its client, which serves one operation. */
export interface PullOperations<C> {
	readonly openPull: (client: C, at: RepositoryPlace, pull: NewPullRequest) => Promise<PullRequest>;
	readonly openOne: (client: C, at: RepositoryPlace, branches: Branches) => Promise<PullRequest | undefined>;
	readonly onePull: (client: C, at: RepositoryPlace, number: number) => Promise<PullRequest>;
	readonly listPulls: (client: C, at: RepositoryPlace, status: PullState | "all") => Promise<PullRequest[]>;
	readonly mergePull: (client: C, at: RepositoryPlace, number: number, merge: MergeRequest) => Promise<{ sha: string }>;
	readonly checksOf: (client: C, at: RepositoryPlace, ref: string) => Promise<SomeChecks>;
	readonly evidenceOf: (client: C, at: RepositoryPlace, number: number) => Promise<PullEvidence>;
}

/** The name of a pull request in sentences, and the mark before its number. */
export type PullWords = readonly [name: string, mark: string];

/** One account at one host. @typeParam C Its client. */
export abstract class HostAdapter<C> {
	readonly name: string;
	readonly orgs: readonly string[];
	readonly host: string;
	protected readonly options: GitProviderOptions;
	readonly #words: PullWords;
	readonly #operations: PullOperations<C>;

	constructor(options: GitProviderOptions, host: string, words: PullWords, operations: PullOperations<C>) {
		this.options = options;
		this.name = options.name;
		this.orgs = options.orgs;
		this.host = host;
		this.#words = words;
		this.#operations = operations;
	}

	/** @param asked The end of the sentences of errors. */
	protected abstract client(asked: string): C;

	async openPull(place: RepositoryPlace, pull: NewPullRequest): Promise<PullRequest> {
		const client = this.client(`a new ${this.#words[0]} in ${shownPlace(place)}`);
		return this.#operations.openPull(client, place, pull);
	}

	async pullOf(place: RepositoryPlace, branches: Branches): Promise<PullRequest | undefined> {
		return this.#operations.openOne(this.#clientOfAll(place), place, branches);
	}

	async pull(place: RepositoryPlace, number: number): Promise<PullRequest> {
		return this.#operations.onePull(this.#clientOfOne(place, number), place, number);
	}

	async pulls(place: RepositoryPlace, status: PullState | "all"): Promise<PullRequest[]> {
		return this.#operations.listPulls(this.#clientOfAll(place), place, status);
	}

	async mergePull(place: RepositoryPlace, number: number, merge: MergeRequest): Promise<{ sha: string }> {
		return this.#operations.mergePull(this.#clientOfOne(place, number), place, number, merge);
	}

	async ciStatus(place: RepositoryPlace, ref: string): Promise<CiStatus> {
		return sumOfChecks(await this.#operations.checksOf(this.client(`the checks of ${shownPlace(place)}`), place, ref));
	}

	async evidence(place: RepositoryPlace, number: number): Promise<PullEvidence> {
		return this.#operations.evidenceOf(this.#clientOfOne(place, number), place, number);
	}

	#clientOfAll(place: RepositoryPlace): C {
		return this.client(`the ${this.#words[0]}s of ${shownPlace(place)}`);
	}

	#clientOfOne(place: RepositoryPlace, number: number): C {
		const [name, mark] = this.#words;
		return this.client(`the ${name} ${shownPlace(place)}${mark}${number}`);
	}
}
