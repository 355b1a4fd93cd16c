/**
 * Where packets leave this process and enter it: they are sealed, and only what bears a seal comes in, be it a call, an
 * answer, an event or the presence of a process. Of the metadata of a call its principal is written down where it was
 * vouched for; one that arrives under seal is vouched for here. Answers and events carry no metadata.
 */
import type { Middleware, ServiceBroker } from "moleculer";
import { after } from "../clock.ts";
import { type PacketSeal, SealError } from "./packet-seal.ts";
import type { Principal } from "./principal.ts";
import { VouchedPrincipal, vouch } from "./vouched-principal.ts";

/** The framework's packet, as far as it is looked at. */
interface Packet {
	readonly type: string;
	readonly payload: { meta?: Record<string, unknown> };
}

type Publish = (packet: Packet) => unknown;
type Send = (topic: string, data: Buffer, about: object) => Promise<void>;
type Receive = (command: string, data: Buffer, about?: object) => unknown;
type Handle = (command: string, packet: Packet) => unknown;

/** Whoever sends nonsense fills no log: what is refused within this time of the first is counted only. */
const quietMs = 10_000;

/** @param topicsOf Where packets of a command reach this process. */
export function busBorder(seal: PacketSeal, topicsOf: (command: string) => readonly string[]): Middleware {
	const refusals = new Refusals();

	function received(command: string, packet: Buffer): Buffer | undefined {
		try {
			return seal.open(topicsOf(command), packet);
		} catch (error) {
			if (!(error instanceof SealError)) throw error;
			refusals.tell(command, error);
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
	// The framework's types say of these hooks that they are what they return.
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
	/** Since the last line; undefined when the next one is told at once. */
	#untold: number | undefined;

	attach(logger: ServiceBroker["logger"]): void {
		this.#logger = logger;
	}

	tell(command: string, { message }: SealError): void {
		if (this.#untold !== undefined) {
			this.#untold++;
			return;
		}
		this.#untold = 0;
		this.#logger?.warn(`A packet of the bus (${command}) is not believed: ${message}`);
		after(quietMs, () => {
			if (this.#untold) this.#logger?.warn(`${this.#untold} more packets of the bus were not believed`);
			this.#untold = undefined;
		});
	}
}
