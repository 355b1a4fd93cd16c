/**
 * Brings new values of secrets into pods that run: the tokens of logins are replaced before they end. It looks again and again at every
 * ready session whose owner has connections, because a quiet session gets no pass; a hint makes it look sooner. A pod gets only values
 * that differ from the last ones.
 */
import { createHash } from "node:crypto";
import { personKey } from "#shared/base/principal.ts";
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import { DeduplicatingLog, sentenceOf } from "../deduplicating-log.ts";
import type { Pod } from "../pod-runtime.ts";
import { SessionMap } from "../session-map.ts";

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
	/** Returns those of the people who have connections. @throws {Error} when nobody can tell. */
	readonly connected: (people: readonly Person[]) => Promise<readonly Person[]>;
	/** Returns the pod of a launch as it is now; undefined when there is none. @throws {Error} when nobody can tell. */
	readonly podOf: (claim: Claim) => Promise<Pick<Pod, "state" | "address"> | undefined>;
	/** Sends them to the pod. @throws {Error} */
	readonly send: (claim: Claim, address: string, secrets: PodSecrets) => Promise<void>;
	/** Receives a sentence for every new kind of failure. */
	readonly write: (sentence: string) => void;
}

type Person = Pick<Claim, "tenant" | "owner">;

interface RunningSession {
	claim: Claim;
	address: string;
	/** The digest of what the pod has; undefined when that is not known. */
	has?: string | undefined;
	readonly look: SingleFlight;
}

/** The running sessions of one pod manager. Its owner stops it. */
export class RenewedSecrets {
	readonly #dependencies: RenewalDependencies;
	readonly #log: DeduplicatingLog;
	readonly #sessions = new SessionMap<RunningSession>();
	readonly #again: RecurringJob;
	#isStopping = false;

	/** @param lookEveryMs The time between two looks at a session that nothing else causes. */
	constructor(dependencies: RenewalDependencies, lookEveryMs = everyMs) {
		this.#dependencies = dependencies;
		this.#log = new DeduplicatingLog(dependencies.write);
		this.#again = new RecurringJob({ everyMs: lookEveryMs, work: () => this.#lookAtAll(), onError: () => {} });
		this.#again.start();
	}

	/**
	 * Learns of a pass over a session: it is looked after while its pod is ready, and at once when it was not known. Nobody waits for that.
	 */
	passed(claim: Claim, pod: Pod | undefined): void {
		if (pod?.state !== "ready" || pod.address === undefined) {
			this.#sessions.delete(claim.id);
			return;
		}
		const known = this.#sessions.get(claim.id);
		if (known && known.claim.generation === claim.generation && known.address === pod.address) known.claim = claim;
		else this.#begin(claim, pod.address);
	}

	/** Forgets all other sessions: another pod manager may have made the last pass over one. @param ids The sessions that have pods. */
	keepOnly(ids: ReadonlySet<string>): void {
		this.#sessions.keepOnly(ids);
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
		await Promise.all(this.#sessions.values().map(({ look }) => look.settled()));
	}

	#begin(claim: Claim, address: string): void {
		const session: RunningSession = {
			claim,
			address,
			look: new SingleFlight(
				() => this.#renew(session),
				(error) => this.#log.write(`The secrets of session "${claim.id}" cannot be renewed: ${sentenceOf(error)}`),
			),
		};
		if (this.#sessions.set(claim.id, session)) this.#look(session);
	}

	async #lookAtAll(): Promise<void> {
		const rest = (await this.#changeable()).values();
		const lookAtSome = async () => {
			for (const session of rest) {
				this.#look(session);
				await session.look.settled();
			}
		};
		await Promise.all(Array.from({ length: atATime }, lookAtSome));
	}

	/** Returns the sessions whose secrets may change: those of people with connections, and those that would lose their last one. */
	async #changeable(): Promise<RunningSession[]> {
		const sessions = this.#sessions.values();
		const people = new Map(sessions.map(({ claim }) => [personOf(claim), claim]));
		// All are looked at while nobody can tell.
		const connected = await this.#dependencies.connected([...people.values()]).catch(() => people.values());
		const keys = new Set([...connected].map(personOf));
		return sessions.filter(({ claim, has }) => has !== undefined || keys.has(personOf(claim)));
	}

	#look(session: RunningSession): void {
		if (!this.#isStopping) session.look.request();
	}

	async #renew(session: RunningSession): Promise<void> {
		const { secretsOf, send } = this.#dependencies;
		const secrets = await secretsOf(session.claim, session.has !== undefined);
		if (!secrets) return;
		const { warnings: _sentences, ...values } = secrets;
		const digest = createHash("sha256").update(JSON.stringify(values)).digest("hex");
		if (digest === session.has) return;
		if (!(await this.#isThere(session))) return this.#forget(session);
		await send(session.claim, session.address, { ...values, warnings: [] });
		session.has = digest;
	}

	/** Whether the pod is where it was. The address of one that has ended may be another session's by now. */
	async #isThere({ claim, address }: RunningSession): Promise<boolean> {
		const pod = await this.#dependencies.podOf(claim);
		return pod?.state === "ready" && pod.address === address;
	}

	#forget(session: RunningSession): void {
		const { id } = session.claim;
		if (this.#sessions.get(id) === session) this.#sessions.delete(id);
	}
}

function personOf({ tenant, owner }: Person): string {
	return personKey(tenant, owner);
}
