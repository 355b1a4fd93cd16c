/**
 * Checks the connection to NATS. The framework itself goes on saying "connected" through an outage, and after the
 * client has stopped reconnecting.
 */
import type { ServiceBroker } from "moleculer";
import type { NatsConnection } from "nats";
import { deadline } from "../clock.ts";

const answerMs = 1_000;

/** The state of one broker's connection. The broker owns the connection and closes it. */
export class NatsLink {
	readonly #client: NatsConnection | undefined;

	/** @param broker A started broker; without a transporter every check succeeds. */
	constructor(broker: ServiceBroker) {
		const transporter: object | undefined = broker.transit?.tx;
		// The framework's types hide the client of the transporter; without NATS there is none.
		this.#client = transporter && "client" in transporter ? (transporter.client as NatsConnection) : undefined;
	}

	/** Resolves when the server answers a ping. @throws {Error} when it does not answer within a second. */
	async check(): Promise<void> {
		const answered = this.#client?.rtt() ?? Promise.resolve(0);
		const timeout = deadline(answerMs);
		await new Promise<void>((resolve, reject) => {
			timeout.addEventListener("abort", () => reject(new Error("The bus does not answer")));
			answered.then(() => resolve(), reject);
		});
	}

	/** Calls back when the client has closed and will never reconnect. Not called without NATS. */
	onClosed(lost: (cause: unknown) => void): void {
		this.#client?.closed().then(lost, lost);
	}
}
