/**
 * The transporter of a broker on NATS. It differs from the framework's own one in three ways. The messages of one turn of the
 * event loop leave in one write; the client by itself writes once per message, because it flushes when the code that
 * published is done. And a permission that NATS denies is seen: otherwise a process would wait for ever, in silence, for messages
 * that it may not receive (docs/bus.md). And a loss is told once, with the address and what the process shows there.
 */
import { createRequire } from "node:module";
import { Transporters } from "moleculer";
import type * as Nats from "nats";
import type { Msg, NatsConnection, NatsError } from "nats";
import { nextTurn, sleep } from "#shared/base/clock.ts";
import { NatsReport } from "./nats-report.ts";

/** The pause between attempts to connect at the start, in milliseconds. */
const pauseMs = 5_000;

/** How many denied subjects are logged; each is logged once. */
const maxLogged = 100;

/** The connection of one broker; the broker opens and closes it. */
export class NatsTransporter extends Transporters.NATS {
	readonly #waiting: { readonly topic: string; readonly data: Buffer }[] = [];
	/** The commands by the subjects that NATS does not let this process hear. */
	readonly #deaf = new Map<string, string>();
	readonly #logged = new Set<string>();
	readonly #options: Nats.ConnectionOptions;
	readonly #report: NatsReport;
	#isEnding = false;

	constructor(options: Nats.ConnectionOptions) {
		super(options);
		this.#options = options;
		this.#report = new NatsReport(options, () => this.logger);
	}

	/** The sentence about a connection that does not stand; undefined while it does. */
	get problem(): string | undefined {
		return this.#report.problem ?? (this.client ? undefined : "The connection to NATS is being made");
	}

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

	/** Tries until it is connected; the framework would log each attempt. */
	override async connect(): Promise<void> {
		// The client is loaded only in installations with a bus.
		const { connect } = createRequire(import.meta.url)("nats") as typeof Nats;
		while (!this.#isEnding) {
			const client = await connect(this.#options).catch((error: Error) => this.#report.lost(codeOf(error)));
			if (client) return this.#use(client);
			await sleep(pauseMs);
		}
	}

	async #use(client: NatsConnection): Promise<void> {
		if (this.#isEnding) return client.close();
		this.client = client;
		this.#report.returned();
		void client.closed().then(() => (this.connected = false));
		await this.onConnected();
	}

	override onConnected(wasReconnect?: boolean): Promise<unknown> {
		void this.#watch(this.client as NatsConnection);
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
		this.#isEnding = true;
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

	async #watch(client: NatsConnection): Promise<void> {
		for await (const { type, data, permissionContext: denied } of client.status()) {
			if (this.#isEnding) continue;
			if (denied?.operation === "publish") this.#denySending(denied.subject);
			else if (type === "disconnect") this.#report.lost("DISCONNECTED");
			else if (type === "reconnect") this.#report.returned();
			else if (type === "error" && !denied) this.#report.lost(typeof data === "string" ? data : type);
		}
	}

	#denySending(subject: string): void {
		this.#log(`NATS does not let this process send "${permissionFor(subject)}": its user lacks that permission`);
	}

	#log(sentence: string): void {
		if (this.#logged.has(sentence) || this.#logged.size >= maxLogged) return;
		this.#logged.add(sentence);
		this.logger.error(`${sentence} (docs/bus.md)`);
	}
}

/** Returns the client's code of a failed attempt, or that of the system. */
function codeOf(error: Error): string {
	return "code" in error ? String(error.code) : error.message;
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
