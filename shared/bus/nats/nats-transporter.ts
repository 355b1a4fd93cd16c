/**
 * The transporter of a broker on NATS. It differs from the framework's own one in two ways. The messages of one turn of the
 * event loop leave in one write; the client by itself writes once per message, because it flushes when the code that
 * published is done. And a permission that NATS denies is seen: otherwise a process would wait for ever, in silence, for messages
 * that it may not receive (docs/bus.md).
 */
import { Transporters } from "moleculer";
import type { Msg, NatsConnection, NatsError } from "nats";
import { nextTurn } from "../../clock.ts";

/** How many denied subjects are logged; each is logged once. */
const maxLogged = 100;

/** The connection of one broker; the broker opens and closes it. */
export class NatsTransporter extends Transporters.NATS {
	readonly #waiting: { readonly topic: string; readonly data: Buffer }[] = [];
	/** The commands by the subjects that NATS does not let this process hear. */
	readonly #deaf = new Map<string, string>();
	readonly #logged = new Set<string>();

	/** The subjects that this process should hear and may not, with `>` for the rest of a name; each permission once. */
	get deafTo(): readonly string[] {
		return [...new Set([...this.#deaf.keys()].map(permissionFor))];
	}

	/** Subscribes once more to what was denied: somebody may have given the permission meanwhile. */
	subscribeAgain(): void {
		const denied = [...this.#deaf];
		this.#deaf.clear();
		for (const [subject, command] of denied) this.#hear(subject, command);
	}

	override onConnected(wasReconnect?: boolean): Promise<unknown> {
		void this.#watchPermissions();
		return super.onConnected(wasReconnect);
	}

	override subscribe(command: string, nodeId?: string): Promise<void> {
		this.#hear(this.getTopicName(command, nodeId), command);
		return Promise.resolve();
	}

	override send(topic: string, data: Buffer): Promise<void> {
		const { client } = this;
		if (!client) return Promise.resolve();
		// The client refuses a message that is too large. Its caller has to know at once and not at its timeout.
		if (data.length > (client.info?.max_payload ?? Infinity)) client.publish(topic, data);
		else if (this.#waiting.push({ topic, data }) === 1) void nextTurn().then(() => this.#flush());
		return Promise.resolve();
	}

	override disconnect(): Promise<void> {
		this.#flush();
		return super.disconnect();
	}

	#flush(): void {
		const { client } = this;
		for (const { topic, data } of this.#waiting.splice(0)) {
			if (client && !client.isClosed()) client.publish(topic, data);
		}
	}

	#hear(subject: string, command: string): void {
		(this.client as NatsConnection).subscribe(subject, {
			callback: (denial: NatsError | null, message: Msg) => {
				if (denial) this.#deny(subject, command);
				else void this.receive(command, bytesOf(message));
			},
		});
	}

	#deny(subject: string, command: string): void {
		this.#deaf.set(subject, command);
		this.#log(`NATS does not let this process receive "${permissionFor(subject)}": its user lacks that permission`);
	}

	async #watchPermissions(): Promise<void> {
		for await (const { permissionContext: denied } of (this.client as NatsConnection).status()) {
			if (denied?.operation !== "publish") continue;
			this.#log(
				`NATS does not let this process send "${permissionFor(denied.subject)}": its user lacks that permission`,
			);
		}
	}

	#log(sentence: string): void {
		if (this.#logged.has(sentence) || this.#logged.size >= maxLogged) return;
		this.#logged.add(sentence);
		this.logger.error(`${sentence} (docs/bus.md)`);
	}
}

/** Returns the permission that covers a subject: one per command and service, and not per process. */
function permissionFor(subject: string): string {
	const [prefix, command, label, ...rest] = subject.split(".");
	return [prefix, command, label, ...(rest.length > 0 ? [">"] : [])].filter((token) => token !== undefined).join(".");
}

/** Returns the bytes without a copy: the client hands each message out once and does not use its memory again. */
function bytesOf({ data }: Msg): Buffer {
	return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
