/**
 * The running sessions that a pod manager looks after. It knows most of them by its own passes. It asks about the others, whose last
 * pass an earlier process or another pod manager made, because a quiet session gets no pass for days.
 */
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { DeduplicatingLog, sentenceOf } from "../deduplicating-log.ts";
import type { Pod } from "../pod-runtime.ts";
import { SessionMap } from "../session-map.ts";

/** How many launches are asked for at a time. */
const atATime = 8;

/** A part that looks after running sessions. */
interface Follower {
	/** Learns the pod of a launch; undefined: none that should run. */
	passed(claim: Claim, pod: Pod | undefined): void;
	/** Forgets all other sessions. */
	keepOnly(ids: ReadonlySet<string>): void;
}

interface RunningSessionsDependencies {
	/** Returns the launch that a session has now, for the pod of this generation; undefined: none. @throws {Error} when nobody can tell. */
	readonly launchOf: (sessionId: string, generation: number) => Promise<Claim | undefined>;
	readonly followers: readonly Follower[];
	/** Receives a sentence for every new kind of failure. */
	readonly write: (sentence: string) => void;
}

/** The running sessions of one pod manager. Its owner stops it. */
export class RunningSessions {
	readonly #dependencies: RunningSessionsDependencies;
	/** The generations of the sessions that the followers know. They have pods; one that was left out would be asked for again and again. */
	readonly #known = new SessionMap<number>(Infinity);
	/** The sessions that had a pass since pods were found last: their pods may be younger than what is found. */
	readonly #passed = new Set<string>();
	#found: readonly Pod[] = [];
	readonly #learning: SingleFlight;
	#isStopping = false;

	constructor(dependencies: RunningSessionsDependencies) {
		this.#dependencies = dependencies;
		const log = new DeduplicatingLog(dependencies.write);
		this.#learning = new SingleFlight(
			() => this.#learn(),
			(error) => log.write(`Running sessions cannot be read: ${sentenceOf(error)}`),
		);
	}

	/** Learns of a pass over a session. */
	passed(claim: Claim, pod: Pod | undefined): void {
		if (pod) this.#known.set(claim.id, claim.generation);
		else this.#known.delete(claim.id);
		this.#passed.add(claim.id);
		for (const follower of this.#dependencies.followers) follower.passed(claim, pod);
	}

	/** Learns all pods that are there. Sessions without any are forgotten; returns the others. */
	found(pods: readonly Pod[]): ReadonlySet<string> {
		const ids = new Set([...pods.map(({ sessionId }) => sessionId), ...this.#passed]);
		this.#passed.clear();
		this.#known.keepOnly(ids);
		for (const follower of this.#dependencies.followers) follower.keepOnly(ids);
		this.#found = pods;
		if (!this.#isStopping) this.#learning.request();
		return ids;
	}

	/** Begins nothing more, and resolves when everything under way is over. */
	async stop(): Promise<void> {
		this.#isStopping = true;
		await this.#learning.settled();
	}

	async #learn(): Promise<void> {
		const rest = this.#found.filter((pod) => this.#isUnknown(pod)).values();
		const learnSome = async () => {
			for (const pod of rest) if (!this.#isStopping) await this.#learnOf(pod);
		};
		await Promise.all(Array.from({ length: atATime }, learnSome));
	}

	async #learnOf(pod: Pod): Promise<void> {
		const claim = await this.#dependencies.launchOf(pod.sessionId, pod.generation);
		// A pass knows more than what was found before it.
		if (claim && this.#isUnknown(pod) && !this.#passed.has(claim.id)) this.passed(claim, pod);
	}

	#isUnknown({ sessionId, generation, state }: Pod): boolean {
		return state === "ready" && this.#known.get(sessionId) !== generation;
	}
}
