/**
 * Serves the real event log on a real store over NATS to the processes of a test's platform; the test writes the
 * events.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceBroker } from "moleculer";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { publish } from "#shared/bus/service.ts";
import { logAppended } from "#shared/contracts/event-log.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { loadConfig } from "#shared/config/config.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { eventLogCollection, eventLogNameCollection } from "#shared/store/event-log/event-log-collection.ts";
import { eventLogService } from "#services/event-log/event-log.service.ts";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import { OutboxRelay } from "#shared/store/event-log/outbox-relay.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { bookCollections, openBooks } from "#services/sessions/books/open-books.ts";
import { SessionCounts } from "#services/sessions/books/session-counts.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { usageService } from "#services/sessions/usage.service.ts";
import { brokerOptions } from "../../../moleculer.config.ts";
import { noLog } from "../platform/no-log.ts";
import { logsOn } from "./logs-on.ts";

/** The text of one event with the usual size of a session's event. */
const text = "x".repeat(700);

export class EventLogNode implements AsyncDisposable {
	readonly #store: EmbeddedStore;
	readonly #broker: ServiceBroker;
	readonly #log: EventLog;
	readonly #folder: string;
	/** The count of written events. */
	written = 0;

	private constructor(dataDir: string, natsUrl: string) {
		this.#folder = mkdtempSync(join(tmpdir(), "atelier-event-log-"));
		const key = openInstallationKey(dataDir, "").busSeal();
		this.#broker = new ServiceBroker(brokerOptions({ url: natsUrl, log_level: "fatal" }, key, "event-log"));
		this.#store = new EmbeddedStore({ folder: this.#folder });
		this.#log = new EventLog(this.#store);
	}

	/** @param dataDir The platform's data folder, whose key seals the packets between the processes. */
	static async start(dataDir: string, natsUrl: string): Promise<EventLogNode> {
		const node = new EventLogNode(dataDir, natsUrl);
		await node.#start();
		return node;
	}

	async #start(): Promise<void> {
		await this.#store.open([sessionCollection, eventLogCollection, eventLogNameCollection, ...bookCollections]);
		const relay = new OutboxRelay(this.#store, logsOn(this.#store, this.#log), [], () => {});
		this.#broker.createService(eventLogService(this.#log, relay));
		const counts = new SessionCounts(this.#store, this.#log);
		const records = new SessionRecords(this.#store, () => {});
		const config = loadConfig({});
		const catalogue = readModelCatalogue(config.models.file);
		const books = openBooks({
			metrics: new Metrics(),
			store: this.#store,
			config,
			catalogue,
			records,
			counts,
			log: noLog,
		});
		this.#broker.createService(usageService(books));
		await this.#broker.start();
	}

	/** Writes events that everybody of the default tenant may see. */
	async append(count: number): Promise<void> {
		const entries = Array.from({ length: count }, () => ({
			key: `sessions:crowd:${++this.written}`,
			entry: {
				n: this.written,
				type: "session_updated",
				// Clients of the bench measure the delay by the monotonic clock of the machine.
				data: `{"at":${process.hrtime.bigint()},"text":"${text}"}`,
				audience: { tenant: "default" },
				at: Date.now(),
			},
		}));
		const seq = await this.#log.append(entries);
		await publish(this.#broker, logAppended, { seq });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#broker.stop();
		await this.#store.close();
		rmSync(this.#folder, { recursive: true });
	}
}
