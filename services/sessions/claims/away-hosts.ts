/**
 * Tells of sessions whose host is away, and ends their passing statuses in time: no other host may act for them (decision
 * 0077). Every process with sessions does it; each change is a compare-and-set, so doing it twice does nothing.
 */
import type { FailureCode } from "#shared/contracts/sessions/status-reasons.ts";
import { isoTime, monotonic, now } from "#shared/base/clock.ts";
import { systemPrincipal } from "#shared/base/principal.ts";
import type { ProcessRegistry } from "#host/presence/process-registry.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { failedChange, type SessionChange, type SessionRecord, statusOf } from "../record/session-change.ts";
import { sessionCollection, type SessionDocument } from "../record/session-collection.ts";
import { deadlinesMs, type StoredStatus } from "../record/session-lifecycle.ts";
import type { SessionRecords } from "../record/session-records.ts";
import { reasonFor } from "../record/status-reason.ts";

/** A host is away when its pod manager has not been seen for so long, in milliseconds: it may only be restarting. */
const awayMs = 30_000;
const everyMs = 5_000;
const each = { equals: [], limit: 500, columns: ["status", "host"] } as const;
/** The most pages of due sessions in one look. */
const maxPages = 20;

const hostAway = "HOST_AWAY" satisfies FailureCode;

const passing = new Set<StoredStatus>(["starting", "provisioning", "stopping"]);

const reporter = systemPrincipal("away-hosts");

export interface AwayHostsDependencies {
	readonly store: Documents;
	readonly records: Pick<SessionRecords, "change">;
	readonly processes: Pick<ProcessRegistry, "hosts">;
}

/** The hosts, as this process has seen them. */
export class AwayHosts {
	readonly #dependencies: AwayHostsDependencies;
	readonly #startedAt = monotonic();
	/** When each host was seen last, on the monotonic clock. */
	readonly #seen = new Map<string, number>();
	/** The hosts that were there when the running sessions were told last. */
	#told: string | undefined;

	constructor(dependencies: AwayHostsDependencies) {
		this.#dependencies = dependencies;
	}

	/** Looks at the hosts once, and changes the sessions that are concerned. */
	async look(): Promise<void> {
		const hosts = await this.#dependencies.processes.hosts();
		const at = monotonic();
		for (const host of hosts) this.#seen.set(host, at);
		if (at - this.#startedAt < awayMs) return;
		for (const [host, seen] of this.#seen) if (at - seen >= awayMs) this.#seen.delete(host);
		await this.#changePassing();
		const present = [...this.#seen.keys()].toSorted().join(" ");
		if (present === this.#told) return;
		await this.#changeRunning();
		this.#told = present;
	}

	async #changePassing(): Promise<void> {
		const isOverdue = ({ status }: SessionDocument) => passing.has(status as StoredStatus);
		const due = readPages(this.#dependencies.store, sessionCollection, "due", { ...each, to: now(), pages: maxPages });
		await this.#changeEach(due, (document) => isOverdue(document) && this.#isAway(document.host));
	}

	/** Changes all running sessions, because none of them is due. */
	async #changeRunning(): Promise<void> {
		const all = readPages(this.#dependencies.store, sessionCollection, "created", each);
		await this.#changeEach(all, ({ status, host }) => status === "running" && host !== undefined);
	}

	async #changeEach(
		pages: AsyncIterable<readonly SessionDocument[]>,
		isMeant: (document: SessionDocument) => boolean,
	): Promise<void> {
		// One that cannot be changed, because it was removed meanwhile, affects no other one.
		const change = ({ id }: SessionDocument) =>
			this.#dependencies.records.change(reporter, id, (record) => this.#decide(record));
		for await (const page of pages) await Promise.allSettled(page.filter(isMeant).map(change));
	}

	#decide(record: SessionRecord): SessionChange | undefined {
		const isAway = this.#isAway(record.document.host);
		const at = now();
		if (passing.has(statusOf(record))) return isAway ? passingChange(record, at) : undefined;
		return statusOf(record) === "running" ? runningChange(record, isAway, at) : undefined;
	}

	#isAway(host: string | undefined): boolean {
		return host !== undefined && !this.#seen.has(host);
	}
}

/** Returns the job that looks at the hosts; its creator starts and stops it. */
export function awayHostsJob(dependencies: AwayHostsDependencies, log: ServiceLog): RecurringJob {
	const hosts = new AwayHosts(dependencies);
	const onError = (error: unknown) => log.error("The hosts of sessions cannot be looked at:", error);
	return new RecurringJob({ everyMs, work: () => hosts.look(), onError });
}

/** Returns the change of a session that starts or stops: first its reason, and after its time limit its end. */
function passingChange(record: SessionRecord, at: number): SessionChange | undefined {
	const { session, document } = record;
	const status = statusOf(record);
	const { deadline_at: deadline = at + (deadlinesMs[status] ?? 0) } = document;
	if (at > deadline) {
		const message = `The host of its files is away, so the session could not be ${done(status)}`;
		return failedChange({ code: hostAway, message }, at);
	}
	if (session.status_reason?.code === hostAway) return undefined;
	const message = `The host of its files is away; the session waits for it until ${isoTime(deadline)}`;
	const reason = { ...reasonFor(status, at, { code: hostAway, message }), deadline: isoTime(deadline) };
	return {
		at,
		members: { status_reason: reason },
		columns: { set: { deadline_at: deadline } },
	};
}

function done(status: StoredStatus): string {
	return status === "stopping" ? "stopped in time; its pod is ended when the host is back" : "started in time";
}

/** Returns the change of the reason of a running session; undefined when it says so already, or says why it is paused. */
function runningChange({ session }: SessionRecord, isAway: boolean, at: number): SessionChange | undefined {
	const isTold = session.status_reason?.code === hostAway;
	if (isAway === isTold || session.budget.paused) return undefined;
	const message = "The host of its pod is away: what it does is not seen, and a stop has to wait";
	const status_reason = reasonFor("running", at, isAway ? { code: hostAway, message } : undefined);
	return { at, members: { status_reason }, columns: {} };
}
