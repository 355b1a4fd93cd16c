/** Wants a lease for as long as the process runs: takes it when it is free, and again after a loss. */
import { sleep } from "#shared/base/clock.ts";
import type { Lease, Leases } from "./leases.ts";

/** The interval at which a process that stands by looks for the lease, in milliseconds. */
const standbyMs = 400;

/** The lease that a process wants, and the receivers of what becomes of the wish. */
export interface LeadershipOptions {
	readonly leases: Leases;
	readonly name: string;
	/** Called each time this process begins to lead. */
	readonly onLead?: () => void;
	/** Receives the first failure of asking for the lease in a row. */
	readonly onError: (error: unknown) => void;
}

/** The wish of one process to lead. Its creator starts and stops it. */
export class Leadership {
	readonly #options: LeadershipOptions;
	readonly #stopped = new AbortController();
	#lease: Lease | undefined;
	#run: Promise<void> | undefined;

	constructor(options: LeadershipOptions) {
		this.#options = options;
	}

	/** Whether this process leads now, and no other one does. */
	get isLeading(): boolean {
		return this.#lease?.isHeld === true;
	}

	start(): void {
		this.#run ??= this.#lead();
	}

	/** Hands the lease back and resolves when that is done. */
	async stop(): Promise<void> {
		this.#stopped.abort();
		await this.#run;
		// A store that cannot be reached lets the lease run out.
		await this.#lease?.release().catch(() => {});
	}

	async #lead(): Promise<void> {
		const { signal } = this.#stopped;
		let failures = 0;
		while (!signal.aborted) {
			try {
				this.#lease = await this.#options.leases.acquire(this.#options.name);
				failures = 0;
			} catch (error) {
				if (failures++ === 0) this.#options.onError(error);
			}
			if (this.#lease?.isHeld && !signal.aborted) {
				this.#options.onLead?.();
				await anyAborted(signal, this.#lease.signal);
			} else await sleep(standbyMs, signal);
		}
	}
}

function anyAborted(...signals: readonly AbortSignal[]): Promise<void> {
	const any = AbortSignal.any([...signals]);
	if (any.aborted) return Promise.resolve();
	return new Promise((resolve) => any.addEventListener("abort", () => resolve(), { once: true }));
}
