/** Changes documents by compare-and-set: read, decide, write under a guard, and repeat when another writer was faster. */
import { UnavailableError } from "#shared/base/errors.ts";
import { repeatLostRaces } from "./lost-races.ts";

export interface CompareAndSet<Newest, Decision, Written> {
	/** The subject of the sentence that refuses a change after 50 lost races, e.g. `An account`. */
	readonly what: string;
	readonly read: () => Promise<Newest>;
	/**
	 * Decides what to write; undefined when nothing is. It is called again after each lost race, so it must have no
	 * side effects: its findings belong into the decision.
	 */
	readonly decide: (newest: Newest) => Decision | undefined;
	/** Writes the decision; undefined when the guard did not hold. */
	readonly write: (newest: Newest, decision: Decision) => Promise<Written | undefined>;
}

/** The decision that was written, and what `write` made of it. */
export interface Decided<Decision, Written> {
	readonly decision: Decision;
	readonly written: Written;
}

/**
 * Resolves to the decision that was written; to undefined when none was needed.
 * @throws whatever the three functions throw; {UnavailableError} after 50 lost races.
 * @example
 * ```ts
 * await compareAndSet({
 * 	what: "The job",
 * 	read: () => store.get(jobs, id),
 * 	decide: (job) => (job?.state === "new" ? { state: "begun", rev: (job.rev ?? 0) + 1 } : undefined),
 * 	write: (job, set) => store.update(jobs, id, { equals: { rev: job?.rev ?? 0 } }, { set }),
 * });
 * ```
 */
export async function compareAndSet<Newest, Decision extends object, Written>({
	what,
	read,
	decide,
	write,
}: CompareAndSet<Newest, Decision, Written>): Promise<Decided<Decision, Written> | undefined> {
	const { decided } = await repeatLostRaces(
		async () => {
			const newest = await read();
			const decision = decide(newest);
			if (decision === undefined) return { decided: undefined };
			const written = await write(newest, decision);
			return written === undefined ? undefined : { decided: { decision, written } };
		},
		{ refusal: () => tooFast(what) },
	);
	return decided;
}

/** The error of a change that has lost too many races. @param what The subject of its sentence, e.g. `An account`. */
export function tooFast(what: string): UnavailableError {
	return new UnavailableError(`${what} changes too fast, try again`);
}
