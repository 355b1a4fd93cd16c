/** Opens the connections of a session to other servers, if its rules and their addresses admit them. */
import { type BlockList, connect, isIP, type Socket } from "node:net";
import { once } from "node:events";
import { bound } from "#shared/base/bounds.ts";
import { after } from "#shared/base/clock.ts";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import { type ResolveName, resolvePublicName } from "../outbound/name-resolver.ts";
import { addressRefusal } from "./egress-addresses.ts";
import { type Destination, egressDecision, type EgressRefusal, type EgressRules } from "./egress-rules.ts";
import { resolveInternalName } from "./internal-names.ts";

/** The time for a connection to open, in milliseconds. */
const connectMs = 15_000;
/** The addresses of a name that are tried. */
const maxAddresses = 8;

/** The parts of one session that its proxy needs. */
export interface EgressDependencies {
	/** Returns the rules for the next connection, all of which have to admit it. */
	readonly rules: () => readonly EgressRules[];
	/** Networks that are refused whatever the rules say. */
	readonly refused: BlockList;
	/** Learns which server was refused, and why. */
	readonly onRefused: (destination: string, refusal: EgressRefusal) => void;
	/** Default: the name servers, and for the names of the operator the machine's file of hosts too. */
	readonly resolve?: { readonly public: ResolveName; readonly known: ResolveName };
	/** Returns why an address is refused; default {@link addressRefusal}. Tests have all their servers on loopback. */
	readonly addressRefusal?: typeof addressRefusal;
	/** Begins a connection; default: to the address itself. No test connects to an address of the internet. */
	readonly dial?: Dial;
}

/** Begins a connection to an address, whose owner waits for it and ends it. */
export type Dial = (to: { readonly host: string; readonly port: number }) => Socket;

/** A connection that is not made; the message is a sentence for the session. */
export class RefusedConnection extends Error {
	override readonly name = "RefusedConnection";
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

/** The connections of one session. Who gets one closes it. */
export class EgressConnections {
	readonly #dependencies: EgressDependencies;
	/** The session chooses the names, so the questions about them are its own and few at a time. */
	readonly #lookups = new FairQueue({ atOnce: bound.egressLookups });

	constructor(dependencies: EgressDependencies) {
		this.#dependencies = dependencies;
	}

	/** Those that are open or are being opened. */
	#count = 0;

	/** Opens a connection. @throws {RefusedConnection} */
	async open(destination: Destination): Promise<Socket> {
		const most = bound.egressConnections;
		if (this.#count >= most) {
			const words = `a session has at most ${most} connections at a time`;
			return this.#refuse(destination, { reason: "connections", words }, 503);
		}
		this.#count++;
		try {
			const socket = await this.#connected(destination);
			socket.once("close", () => this.#count--);
			return socket;
		} catch (error) {
			this.#count--;
			throw error;
		}
	}

	/** Connects to the first address that answers: the name is not resolved again. @throws {RefusedConnection} */
	async #connected(destination: Destination): Promise<Socket> {
		const { host, port } = destination;
		const { dial = connect } = this.#dependencies;
		for (const address of await this.#admitted(destination)) {
			const socket = dial({ host: address, port });
			const late = after(connectMs, () => socket.destroy(new Error("The connection took too long")));
			try {
				await once(socket, "connect");
				return socket;
			} catch {
				socket.destroy();
			} finally {
				late.cancel();
			}
		}
		throw new RefusedConnection(502, `${host}:${port} cannot be reached`);
	}

	/** Returns the addresses of a destination. @throws {RefusedConnection} */
	async #admitted(destination: Destination): Promise<string[]> {
		const { rules, refused, addressRefusal: refusalOf = addressRefusal } = this.#dependencies;
		const decisions = rules().map((one) => egressDecision(one, destination));
		for (const decision of decisions) if ("refusal" in decision) return this.#refuse(destination, decision.refusal);
		const isKnown = decisions.some((decision) => "admits" in decision && decision.admits === "known");
		const networks = isKnown ? "known" : "public";
		const addresses = (await this.#addressesOf(destination.host, networks)).slice(0, maxAddresses);
		if (addresses.length === 0) throw new RefusedConnection(502, `The name ${destination.host} cannot be resolved`);
		for (const address of addresses) {
			const refusal = refusalOf(address, networks, refused);
			if (refusal) return this.#refuse(destination, refusal);
		}
		return addresses;
	}

	#refuse({ host, port }: Destination, refusal: EgressRefusal, status = 403): never {
		this.#dependencies.onRefused(`${host}:${port}`, refusal);
		throw new RefusedConnection(status, `The connection to ${host}:${port} is refused: ${refusal.words}`);
	}

	async #addressesOf(host: string, networks: "public" | "known"): Promise<string[]> {
		if (isIP(host) !== 0) return [host];
		const { public: ofPublic, known } = this.#dependencies.resolve ?? {
			public: resolvePublicName,
			known: resolveInternalName,
		};
		return this.#lookups.run("", () => (networks === "known" ? known(host) : ofPublic(host)));
	}
}
