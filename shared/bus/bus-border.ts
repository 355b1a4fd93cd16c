/**
 * Seals packets that leave this process and opens those that arrive. Only packets with a valid seal come in: calls,
 * answers, events and the presence of other processes. The principal of a call is written into its metadata only when
 * code of this process vouched for it, and a principal that arrives under seal is vouched for here. Answers and events
 * carry no metadata.
 */
import type { Middleware, ServiceBroker } from "moleculer";
import { after } from "#shared/base/clock.ts";
import type { ForeignKeyWatch } from "./nats/foreign-key.ts";
import { ForeignSealError, type PacketSeal, SealError } from "./packet-seal.ts";
import type { Principal } from "#shared/base/principal.ts";
import { VouchedPrincipal, vouch } from "./vouched-principal.ts";

/** The members of the framework's packet that this module reads. */
interface Packet {
	readonly type: string;
	readonly payload: { meta?: Record<string, unknown> };
}

type Publish = (packet: Packet) => unknown;
type Send = (topic: string, data: Buffer, about: object) => Promise<void>;
type Receive = (command: string, data: Buffer, about?: object) => unknown;
type Handle = (command: string, packet: Packet) => unknown;

/**
 * Refused packets within this time after the first one are only counted, so that a sender of invalid packets cannot
 * fill the log.
 */
const quietMs = 10_000;

/**
 * Returns the middleware. @param topicsOf The topics on which packets of a command reach this process.
 * @param watch Learns of packets with another key; absent: nobody asks.
 */
export function busBorder(
	seal: PacketSeal,
	topicsOf: (command: string) => readonly string[],
	watch?: ForeignKeyWatch,
): Middleware {
	const refusals = new Refusals();

	function received(command: string, packet: Buffer): Buffer | undefined {
		try {
			return seal.open(topicsOf(command), packet);
		} catch (error) {
			if (!(error instanceof SealError)) throw error;
			if (error instanceof ForeignSealError) watch?.refused();
			refusals.log(command, error);
			return undefined;
		}
	}

	const hooks = {
		name: "BusBorder",
		created: ({ logger }: ServiceBroker) => refusals.attach(logger),
		transitPublish: (next: Publish) => (packet: Packet) => {
			if (packet.payload.meta) packet.payload.meta = outgoing(packet);
			return next(packet);
		},
		transporterSend: (next: Send) => (topic: string, data: Buffer, about: object) =>
			next(topic, seal.seal(topic, data), about),
		transporterReceive: (next: Receive) => (command: string, packet: Buffer, about?: object) => {
			const data = received(command, packet);
			return data && next(command, data, about);
		},
		transitMessageHandler: (next: Handle) => (command: string, packet: Packet) => {
			packet.payload.meta = incoming(packet);
			return next(command, packet);
		},
	};
	// The framework declares the type of these hooks as the type that they return.
	return hooks as unknown as Middleware;
}

function outgoing({ type, payload: { meta } }: Packet): Record<string, unknown> {
	if (type !== "REQ") return {};
	return { ...meta, principal: VouchedPrincipal.read(meta?.["principal"]) };
}

function incoming({ type, payload: { meta } }: Packet): Record<string, unknown> {
	if (type !== "REQ") return {};
	const { principal, ...rest } = meta ?? {};
	return principal ? { ...rest, principal: vouch(principal as Principal) } : rest;
}

class Refusals {
	#logger: ServiceBroker["logger"] | undefined;
	/** Refusals since the last line of the log; undefined when the next one is logged at once. */
	#unlogged: number | undefined;

	attach(logger: ServiceBroker["logger"]): void {
		this.#logger = logger;
	}

	log(command: string, { message }: SealError): void {
		if (this.#unlogged !== undefined) {
			this.#unlogged++;
			return;
		}
		this.#unlogged = 0;
		this.#logger?.warn(`A packet of the bus (${command}) was refused: ${message}`);
		after(quietMs, () => {
			if (this.#unlogged) this.#logger?.warn(`${this.#unlogged} more packets of the bus were refused`);
			this.#unlogged = undefined;
		});
	}
}
