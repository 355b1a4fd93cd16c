/**
 * Brings new values of secrets into pods that run: the tokens of logins are replaced before they end. It looks at every
 * ready session again and again, because a quiet session gets no pass; a hint makes it look sooner. A pod gets only values
 * that differ from the last ones.
 */
import { createHash } from "node:crypto";
import { monotonic } from "#shared/base/clock.ts";
import { personKey } from "#shared/base/principal.ts";
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import { DeduplicatingLog, sentenceOf } from "../deduplicating-log.ts";
import { maxRemembered, type Pod } from "../pod-runtime.ts";

/** The least time between two looks without a hint, in milliseconds. */
const pauseMs = 5_000;
/** The time between two looks at a session that nothing else causes, in milliseconds. */
const everyMs = 20_000;
/** How many sessions such a round looks at at a time, so that it leaves the bus to others. */
const atATime = 8;

export interface RenewalDependencies {
	/**
	 * Returns the secrets as a launch would get them now; undefined when none of them can change.
	 * @param hasSome Whether the pod was sent some. @throws {Error}
	 */
	readonly secretsOf: (claim: Claim, hasSome: boolean) => Promise<PodSecrets | undefined>;
	/** Sends them to the pod. @throws {Error} */
	readonly send: (claim: Claim, address: string, secrets: PodSecrets) => Promise<void>;
	/** Receives a sentence for every new kind of failure. */
	readonly write: (sentence: string) => void;
}

interface RunningSession {
	claim: Claim;
	address: string;
	/** The digest of what the pod has; undefined when that is not known. */
	has?: string | undefined;
	lookedAt: number;
	readonly look: SingleFlight;
}

/** The running sessions of one pod manager. Its owner stops it. */
export class RenewedSecrets {
	readonly #dependencies: RenewalDependencies;
	readonly #log: DeduplicatingLog;
	readonly #sessions = new Map<string, RunningSession>();
	readonly #again: RecurringJob;
	#isStopping = false;

	/** @param lookEveryMs The time between two looks at a session that nothing else causes. */
	constructor(dependencies: RenewalDependencies, lookEveryMs = everyMs) {
		this.#dependencies = dependencies;
		this.#log = new DeduplicatingLog(dependencies.write);
		this.#again = new RecurringJob({ everyMs: lookEveryMs, work: () => this.#lookAtAll(), onError: () => {} });
		this.#again.start();
	}

	/** Learns of a pass over a session: it is looked after while its pod is ready. Nobody waits for that. */
	passed(claim: Claim, pod: Pod | undefined): void {
		if (pod?.state !== "ready" || pod.address === undefined) {
			this.#sessions.delete(claim.id);
			return;
		}
		const session = this.#sessionOf(claim, pod.address);
		if (session && monotonic() - session.lookedAt >= pauseMs) this.#look(session);
	}

	/** Looks at the sessions of a person now. */
	hint(tenant: string, owner: string): void {
		const key = personKey(tenant, owner);
		for (const session of this.#sessions.values()) if (personOf(session.claim) === key) this.#look(session);
	}

	/** Begins nothing more, and resolves when everything under way is over. */
	async stop(): Promise<void> {
		this.#isStopping = true;
		await this.#again.stop();
		await Promise.all([...this.#sessions.values()].map(({ look }) => look.settled()));
	}

	#sessionOf(claim: Claim, address: string): RunningSession | undefined {
		const known = this.#sessions.get(claim.id);
		if (known && known.claim.generation === claim.generation && known.address === address) {
			known.claim = claim;
			return known;
		}
		if (!known && this.#sessions.size >= maxRemembered) return undefined;
		const session: RunningSession = {
			claim,
			address,
			lookedAt: -Infinity,
			look: new SingleFlight(
				() => this.#renew(session),
				(error) => this.#log.write(`The secrets of session "${claim.id}" cannot be renewed: ${sentenceOf(error)}`),
			),
		};
		this.#sessions.set(claim.id, session);
		return session;
	}

	async #lookAtAll(): Promise<void> {
		const rest = this.#sessions.values();
		const lookAtSome = async () => {
			for (const session of rest) {
				this.#look(session);
				await session.look.settled();
			}
		};
		await Promise.all(Array.from({ length: atATime }, lookAtSome));
	}

	#look(session: RunningSession): void {
		if (this.#isStopping) return;
		session.lookedAt = monotonic();
		session.look.request();
	}

	async #renew(session: RunningSession): Promise<void> {
		const { secretsOf, send } = this.#dependencies;
		const secrets = await secretsOf(session.claim, session.has !== undefined);
		if (!secrets) return;
		const { warnings: _sentences, ...values } = secrets;
		const digest = createHash("sha256").update(JSON.stringify(values)).digest("hex");
		if (digest === session.has) return;
		await send(session.claim, session.address, { ...values, warnings: [] });
		session.has = digest;
	}
}

function personOf({ tenant, owner }: Claim): string {
	return personKey(tenant, owner);
}
