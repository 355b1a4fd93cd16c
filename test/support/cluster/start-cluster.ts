/**
 * Starts a platform of several processes over a real NATS server and real MongoDB servers, each process under a name:
 * `gateway-1`, `core-1`, `pod-manager-1`, and so on.
 */
import { ApiClient } from "../clients/api-client.ts";
import { SseClient, type SseOptions } from "../clients/sse-client.ts";
import { freePort } from "../machine/free-port.ts";
import { TestPlatform } from "../platform/start-platform.ts";
import { storingServices } from "../platform/storing-services.ts";
import { MongodSet } from "../stores/mongod-set.ts";
import { type NatsServer, startNatsServer } from "../bus/nats-server.ts";
import { Balancer } from "./balancer.ts";
import { ClusterMember } from "./cluster-member.ts";
import { hostAddresses, openHost } from "./own-host.ts";
import { ClusterNetwork } from "./cluster-network.ts";

/** The service folders of each kind of process. */
const clusterServices = {
	gateway: ["gateway", "stream"],
	core: storingServices,
	"pod-manager": ["credentials", "pod-manager", "models"],
} as const;

export type MemberKind = keyof typeof clusterServices;

export interface ClusterOptions {
	/** Default 2. */
	readonly gateways?: number;
	/** Default 2. */
	readonly cores?: number;
	/** Default 1. */
	readonly podManagers?: number;
	/** The service folders of the processes of a kind, instead of the usual ones. */
	readonly services?: Partial<Record<MemberKind, readonly string[]>>;
	/** The service folders of further processes by their names, e.g. of `event-log-1`. */
	readonly others?: Readonly<Record<string, readonly string[]>>;
	/** One MongoDB server, which is a set of one, or a set of three; default one. */
	readonly store?: "mongod" | "mongod-set";
	/** Variables of every process. */
	readonly env?: Readonly<Record<string, string>>;
	/** Configuration in the form of a file, beside store and bus. */
	readonly config?: Readonly<Record<string, unknown>>;
	/** The sources of every process; default: this project. */
	readonly root?: string;
	/** Whether each process has proxies of its own to bus and store, so that a test can cut it off. */
	readonly proxies?: boolean;
	/** The data folder, which remains; default: a temporary one. */
	readonly dataDir?: string;
	/** Whether each pod manager is a host of its own, with a data folder and an address that the others reach. */
	readonly ownHosts?: boolean;
	/** Whether the URL of the platform is that of a balancer before the gateways, and not the first gateway's. */
	readonly isBalanced?: boolean;
}

/** A cluster, whose disposal ends every process and server and removes all folders. */
export class Cluster implements AsyncDisposable {
	readonly nats: NatsServer;
	readonly store: MongodSet;
	/** The folders, output and session processes of all processes together; its URL is that of `gateway-1`. */
	readonly platform: TestPlatform;
	readonly #members: ReadonlyMap<string, ClusterMember>;
	readonly #resources: AsyncDisposableStack;

	constructor(
		{ nats, store, platform, resources }: Pick<Cluster, "nats" | "store" | "platform"> & Resources,
		members: readonly ClusterMember[],
	) {
		this.nats = nats;
		this.store = store;
		this.platform = platform;
		this.#resources = resources;
		this.#members = new Map(members.map((member) => [member.name, member]));
	}

	/** All processes, gateways first. */
	get members(): readonly ClusterMember[] {
		return [...this.#members.values()];
	}

	/** @throws {RangeError} when there is none of this name. */
	member(name: string): ClusterMember {
		const member = this.#members.get(name);
		if (!member) throw new RangeError(`There is no "${name}"; there are ${[...this.#members.keys()].join(", ")}`);
		return member;
	}

	membersOf(kind: MemberKind): readonly ClusterMember[] {
		return this.members.filter(({ name }) => name.startsWith(kind));
	}

	/** The headers that make a caller the one user of the cluster. */
	get headers(): Readonly<Record<string, string>> {
		return this.platform.login.headers;
	}

	/** The base of the API's paths at a gateway. */
	prefixOf(gateway = "gateway-1"): string {
		return `${this.member(gateway).url}/api/v1/svc`;
	}

	/** Returns a client of the cluster's user. */
	client(gateway = "gateway-1", headers: Record<string, string> = {}): ApiClient {
		return new ApiClient(this.prefixOf(gateway), { ...this.headers, ...headers });
	}

	/** Opens the event stream of the cluster's user. */
	events(gateway = "gateway-1", options: SseOptions = {}): Promise<SseClient> {
		const headers = { ...this.headers, ...options.headers };
		return SseClient.open(`${this.prefixOf(gateway)}/sessions/stream`, { ...options, headers });
	}

	/** Starts all processes at once; resolves when every one of them is ready. */
	async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
		await Promise.all(this.members.map((member) => member.start(more)));
	}

	/** Kills all processes, without the bus and the store. */
	async kill(): Promise<void> {
		await Promise.all(this.members.map((member) => member.kill()));
	}

	/** The last lines of every process, for a failed test. */
	lastLines(count = 30): string {
		const of = ({ name, process }: ClusterMember) => [`--- ${name}`, ...process.output.split("\n").slice(-count)];
		return this.members.flatMap(of).join("\n");
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#resources.disposeAsync();
	}
}

interface Resources {
	readonly resources: AsyncDisposableStack;
}

/** Starts a cluster; resolves when all processes are ready. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
	const cluster = await prepareCluster(options);
	try {
		await cluster.start();
		return cluster;
	} catch (error) {
		await cluster[Symbol.asyncDispose]();
		throw error;
	}
}

/** Starts bus and store; the processes are left to the caller. */
async function prepareCluster(options: ClusterOptions = {}): Promise<Cluster> {
	await using prepared = new AsyncDisposableStack();
	const balancer = options.isBalanced ? prepared.use(await Balancer.listen()) : undefined;
	const [nats, store, port] = await Promise.all([
		startNatsServer().then((server) => prepared.use(server)),
		MongodSet.start(options.store === "mongod-set" ? 3 : 1).then((set) => prepared.use(set)),
		balancer?.port ?? freePort(),
	]);
	const { env, root, dataDir } = options;
	const platform = prepared.use(
		new TestPlatform(port, {
			config: {
				store: { adapter: "shared/store/mongodb-store.ts#MongodbStore", kwargs: { url: store.url } },
				bus: { url: nats.url },
				...withAddresses(port, options),
			},
			...(env && { env }),
			...(root !== undefined && { root }),
			...(dataDir !== undefined && { dataDir }),
		}),
	);
	const members = await makeMembers(platform, options, async () =>
		options.proxies ? prepared.use(await ClusterNetwork.open(nats, store)) : undefined,
	);
	const cluster = new Cluster({ nats, store, platform, resources: prepared.move() }, members);
	if (balancer) balancer.targets = cluster.membersOf("gateway").map(({ url }) => Number(new URL(url).port));
	return cluster;
}

/** Session agents report to a gateway, whichever process started them, and the others reach the agents of every host. */
function withAddresses(port: number, { config = {}, ownHosts, podManagers }: ClusterOptions): Record<string, unknown> {
	return {
		...(ownHosts && { pods: { agent_hosts: hostAddresses(podManagers) } }),
		...config,
		gateway: Object.assign({ public_url: `http://127.0.0.1:${port}` }, config["gateway"]),
	};
}

async function makeMembers(
	platform: TestPlatform,
	{ gateways = 2, cores = 2, podManagers = 1, services: chosen, others = {}, ...rest }: ClusterOptions,
	openNetwork: () => Promise<ClusterNetwork | undefined>,
): Promise<ClusterMember[]> {
	const { root, isBalanced, ownHosts } = rest;
	const counts = { gateway: gateways, core: cores, "pod-manager": podManagers };
	const kinds = Object.entries(counts) as [MemberKind, number][];
	const usual = kinds.flatMap(([kind, count]) =>
		Array.from({ length: count }, (_, n) => [`${kind}-${n + 1}`, chosen?.[kind] ?? clusterServices[kind]] as const),
	);
	return Promise.all(
		[...usual, ...Object.entries(others)].map(async ([name, services]) => {
			const isFirst = name === "gateway-1" && isBalanced !== true;
			const [url, opsUrl] = [isFirst ? platform.url : await freeUrl(), await freeUrl()];
			const network = await openNetwork();
			const [, n] = /^pod-manager-(\d+)$/.exec(name) ?? [];
			const host = ownHosts && n !== undefined ? openHost(platform, Number(n)) : {};
			const env = { ...network?.env, ...host, PORT: new URL(url).port, OPS__PORT: new URL(opsUrl).port };
			return new ClusterMember(platform, { name, services, env, root, url, opsUrl, network });
		}),
	);
}

async function freeUrl(): Promise<string> {
	return `http://127.0.0.1:${await freePort()}`;
}
