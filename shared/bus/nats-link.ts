/**
 * The truth about the connection to NATS: the bus itself goes on saying "connected" through an outage and after the
 * client has given up for good.
 */
import type { ServiceBroker } from "moleculer";
import type { NatsConnection } from "nats";
import { deadline } from "../clock.ts";

const answerMs = 1_000;

export class NatsLink {
	readonly #client: NatsConnection | undefined;

	/** @param broker Started; without a transporter the link is always fine. */
	constructor(broker: ServiceBroker) {
		const transporter: object | undefined = broker.transit?.tx;
		// The transporter keeps its client to itself in the types; without NATS there is none.
		this.#client = transporter && "client" in transporter ? (transporter.client as NatsConnection) : undefined;
	}

	/** Resolves when the server answered a ping just now. @throws {Error} when it did not within a second. */
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
