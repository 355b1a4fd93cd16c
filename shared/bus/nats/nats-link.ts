/**
 * Checks the connection to NATS. The framework itself goes on saying "connected" through an outage, after the client has
 * stopped reconnecting, and when NATS lets it hear nothing.
 */
import type { ServiceBroker } from "moleculer";
import type { NatsConnection } from "nats";
import { deadline } from "#shared/base/clock.ts";
import { NatsTransporter } from "./nats-transporter.ts";

const answerMs = 1_000;

/** The state of one broker's connection. The broker owns the connection and closes it. */
export class NatsLink {
	readonly #broker: ServiceBroker;
	readonly #transporter: NatsTransporter | undefined;

	/** @param broker A broker that may start later; without a transporter every check succeeds. */
	constructor(broker: ServiceBroker) {
		this.#broker = broker;
		const transporter: object | undefined = broker.transit?.tx;
		this.#transporter = transporter instanceof NatsTransporter ? transporter : undefined;
	}

	/** The connection; undefined without NATS and before the first one stands. */
	get #client(): NatsConnection | undefined {
		return (this.#transporter?.client ?? undefined) as NatsConnection | undefined;
	}

	/**
	 * Tells all processes what this one offers; resolves when the server has it. The framework itself waits a second, in
	 * which a process that says it is ready is unknown to the others.
	 */
	async announce(): Promise<void> {
		if (!this.#client) return;
		await this.#broker.registry.discoverer.sendLocalNodeInfo();
		await this.#client.flush();
	}

	/**
	 * Resolves when the server answers a ping and lets this process receive what is sent to it.
	 * @throws {Error} when it does not answer within a second, or names what this process may not receive.
	 */
	async check(): Promise<void> {
		const { problem } = this.#transporter ?? {};
		if (problem !== undefined) throw new Error(problem);
		// NATS denies before it answers the ping.
		this.#transporter?.subscribeAgain();
		const answered = this.#client?.rtt() ?? Promise.resolve(0);
		const timeout = deadline(answerMs);
		await new Promise<void>((resolve, reject) => {
			timeout.addEventListener("abort", () => reject(new Error("The bus does not answer")));
			answered.then(() => resolve(), reject);
		});
		const deafTo = this.#transporter?.deafTo ?? [];
		if (deafTo.length > 0) throw new Error(`NATS does not let this process receive ${deafTo.join(", ")}`);
	}

	/** Calls back when the client has closed and will never reconnect. Not called without NATS. */
	onClosed(lost: (cause: unknown) => void): void {
		this.#client?.closed().then(lost, lost);
	}
}
