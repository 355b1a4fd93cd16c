/**
 * The way of one process to the bus and the store: directly, or through proxies of its own, so that a test can cut this
 * process off while all others go on.
 */
import { freePort } from "../machine/free-port.ts";
import { TcpProxy } from "../machine/tcp-proxy.ts";
import type { MongodSet } from "../stores/mongod-set.ts";
import type { NatsServer } from "../bus/nats-server.ts";

export class ClusterNetwork implements AsyncDisposable {
	/** The proxy before NATS. */
	readonly bus: TcpProxy;
	/** The proxies before the members of the set, in their order. */
	readonly store: readonly TcpProxy[];

	private constructor(bus: TcpProxy, store: readonly TcpProxy[]) {
		this.bus = bus;
		this.store = store;
	}

	/**
	 * A member of a replica set tells clients the addresses of all members, which would lead them around the proxies. The
	 * proxies replace them; ports have five digits, so every message keeps its length.
	 */
	static async open(nats: NatsServer, set: MongodSet): Promise<ClusterNetwork> {
		const ports = await Promise.all(set.members.map(freePort));
		const names = set.members.map(({ port }, index) => [addressOf(port), addressOf(ports[index] ?? 0)] as const);
		const translate = (bytes: Buffer) => translated(bytes, names);
		const [bus, ...store] = await Promise.all([
			TcpProxy.listen(nats.port),
			...set.members.map(({ port: target }, index) => TcpProxy.listen(target, { port: ports[index] ?? 0, translate })),
		]);
		return new ClusterNetwork(bus, store);
	}

	/** The variables of a process that uses these proxies. */
	get env(): Record<string, string> {
		const members = this.store.map(({ port }) => addressOf(port)).join(",");
		return {
			BUS__URL: `nats://${addressOf(this.bus.port)}`,
			STORE__KWARGS__URL: `mongodb://${members}/?replicaSet=rs0`,
		};
	}

	get all(): readonly TcpProxy[] {
		return [this.bus, ...this.store];
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.all.map((proxy) => proxy[Symbol.asyncDispose]()));
	}
}

function addressOf(port: number): string {
	return `127.0.0.1:${port}`;
}

function translated(bytes: Buffer, names: readonly (readonly [string, string])[]): Buffer {
	if (!bytes.includes("127.0.0.1:")) return bytes;
	const text = names.reduce((result, [from, to]) => result.replaceAll(from, to), bytes.toString("latin1"));
	return Buffer.from(text, "latin1");
}
