/**
 * Limits how many sessions of a person and of a tenant run at a time. Each process decides about one launch of a tenant
 * after the other; processes that decide at the same moment may together admit one more each. The counts are in the store, because
 * sessions outlive the processes that started them.
 */
import { KeyedQueues } from "#shared/base/concurrency/keyed-queues.ts";
import { ConflictError } from "#shared/base/errors.ts";
import type { Limits } from "#shared/config/limits.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { sessionCollection } from "./session-collection.ts";

/** The person and the tenant that a session belongs to. */
export interface Launcher {
	readonly tenant: string;
	/** Absent: the session belongs to the tenant alone. */
	readonly owner?: string | undefined;
	/** The time after which nobody waits for the launch, in milliseconds since 1970; absent: none. */
	readonly deadline?: number | undefined;
}

/** The statuses in which a session has a pod, or is about to. */
const running = ["starting", "provisioning", "running"] as const;

export class RunningLimits {
	readonly #store: Pick<Documents, "count">;
	readonly #limits: Pick<Limits, "runningPerUser" | "runningPerTenant">;
	readonly #launches = new KeyedQueues();

	constructor(store: Pick<Documents, "count">, limits: Pick<Limits, "runningPerUser" | "runningPerTenant">) {
		this.#store = store;
		this.#limits = limits;
	}

	/**
	 * Runs the work that lets one more session run; resolves to its result. @throws {ConflictError} when there are enough;
	 * {TimeoutError} when its turn comes after its deadline.
	 */
	async launch<T>(launcher: Launcher, work: () => Promise<T>): Promise<T> {
		const { runningPerUser, runningPerTenant } = this.#limits;
		if (runningPerUser === Infinity && runningPerTenant === Infinity) return work();
		const admitted = async () => {
			await this.#refuseBeyond(launcher);
			return work();
		};
		return this.#launches.run(launcher.tenant, admitted, { deadline: launcher.deadline });
	}

	async #refuseBeyond({ tenant, owner }: Launcher): Promise<void> {
		const { runningPerUser, runningPerTenant } = this.#limits;
		if (owner !== undefined && (await this.#isFull("owner_status", [tenant, owner], runningPerUser)))
			throw new ConflictError(
				`A person has at most ${runningPerUser} running sessions: stop one first`,
				"RUNNING_LIMIT",
			);
		if (await this.#isFull("tenant_status", [tenant], runningPerTenant))
			throw new ConflictError(
				`A tenant has at most ${runningPerTenant} running sessions: stop one first`,
				"TENANT_RUNNING_LIMIT",
			);
	}

	async #isFull(index: "owner_status" | "tenant_status", equals: readonly string[], most: number): Promise<boolean> {
		if (most === Infinity) return false;
		const counts = running.map((status) =>
			this.#store.count(sessionCollection, index, { equals: [...equals, status] }),
		);
		return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0) >= most;
	}
}
