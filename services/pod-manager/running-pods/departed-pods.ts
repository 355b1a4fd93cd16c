/**
 * Finds pods whose owners are no members of their tenant any more. A quiet session gets no pass by itself, so this asks for
 * one; the sessions service then ends the session's run.
 */
import type { DepartedOwners } from "#shared/bus/departed-owners.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import type { Pod } from "../pod-runtime.ts";
import { SessionMap } from "../session-map.ts";

/** The time between two looks, in milliseconds. A removed member loses access within 10 s. */
const everyMs = 3_000;

interface DepartedPodsDependencies {
	readonly departed: Pick<DepartedOwners, "among">;
	/** Requests a pass over a session. */
	readonly look: (sessionId: string) => void;
}

/** The pods of one pod manager, by their sessions. Its owner stops it. */
export class DepartedPods {
	readonly #dependencies: DepartedPodsDependencies;
	readonly #claims = new SessionMap<Pick<Claim, "tenant" | "owner">>();
	readonly #again: RecurringJob;

	/** Starts at once. @param lookEveryMs The time between two looks. */
	constructor(dependencies: DepartedPodsDependencies, lookEveryMs = everyMs) {
		this.#dependencies = dependencies;
		// While nobody can tell who has departed, what runs goes on.
		this.#again = new RecurringJob({ everyMs: lookEveryMs, work: () => this.#lookAtAll(), onError: () => {} });
		this.#again.start();
	}

	/** Learns of a pass over a session. */
	passed({ id, tenant, owner }: Claim, pod: Pod | undefined): void {
		if (pod) this.#claims.set(id, { tenant, owner });
		else this.#claims.delete(id);
	}

	/** Forgets all other sessions: another pod manager may have made the last pass over one. @param ids The sessions that have pods. */
	keepOnly(ids: ReadonlySet<string>): void {
		this.#claims.keepOnly(ids);
	}

	stop(): Promise<void> {
		return this.#again.stop();
	}

	async #lookAtAll(): Promise<void> {
		if (this.#claims.size === 0) return;
		const { departed, look } = this.#dependencies;
		const isGone = await departed.among(this.#claims.values());
		for (const [id, owner] of this.#claims.entries()) if (isGone(owner)) look(id);
	}
}
