/** Signs the chains of the audit log that one process extends: nearly all are extended by the process that moves the events. */
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { AuditLog } from "./audit-log.ts";

/** The interval of signatures under the audit log, in milliseconds. */
const checkpointMs = 60_000;

/** The signing of one process, which starts and stops it. */
export class AuditSigning {
	readonly #auditLog: AuditLog;
	readonly #job: RecurringJob;
	readonly #onError: (error: unknown) => void;

	constructor(auditLog: AuditLog, log: ServiceLog) {
		this.#auditLog = auditLog;
		this.#onError = (error) => log.error("The audit log cannot be signed:", error);
		const work = () => auditLog.checkpointAll();
		this.#job = new RecurringJob({ everyMs: checkpointMs, work, onError: this.#onError });
	}

	start(): void {
		this.#job.start();
	}

	/** Signs what is not signed yet, and resolves when that is done or has failed. */
	async stop(): Promise<void> {
		await this.#job.stop();
		await this.#auditLog.checkpointAll().catch(this.#onError);
	}
}
