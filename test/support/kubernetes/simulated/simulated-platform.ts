/**
 * The platform in processes of its own over NATS, with one or several pod managers on a simulated cluster. Everything is real but
 * machines, containers, volumes and session agents.
 */
import { ApiClient } from "../../clients/api-client.ts";
import { startNatsServer } from "../../bus/nats-server.ts";
import { ClusterMember } from "../../cluster/cluster-member.ts";
import { freePort } from "../../machine/free-port.ts";
import { TestPlatform } from "../../platform/start-platform.ts";
import { storingServices } from "../../platform/storing-services.ts";
import { SimulatedAgents } from "./simulated-agents.ts";
import { SimulatedCluster, type SimulatedClusterOptions } from "./simulated-cluster.ts";

export interface SimulatedPlatformOptions {
	/** Default 2. */
	readonly podManagers?: number;
	/** The people whose clients {@link SimulatedPlatform.clientOf} returns; default 4, at most 100. */
	readonly people?: number;
	/** Options of its cluster. */
	readonly cluster?: SimulatedClusterOptions;
	/** Variables of every process. */
	readonly env?: Readonly<Record<string, string>>;
	/** The port of a proxy before the API server, for pod managers. */
	readonly apiPortOf?: (cluster: SimulatedCluster) => Promise<number>;
}

const runtime = "services/pod-manager/pod-runtimes/kubernetes.ts#KubernetesRuntime";
const core = ["gateway", "stream", ...storingServices, "credentials"];
const managing = ["pod-manager", "models"];

export class SimulatedPlatform implements AsyncDisposable {
	readonly cluster: SimulatedCluster;
	readonly platform: TestPlatform;
	readonly core: ClusterMember;
	readonly managers: readonly ClusterMember[];
	readonly agents: SimulatedAgents;
	readonly #people: readonly string[];
	readonly #resources: AsyncDisposableStack;

	private constructor(parts: Parts) {
		this.cluster = parts.cluster;
		this.platform = parts.platform;
		this.core = parts.core;
		this.managers = parts.managers;
		this.agents = parts.agents;
		this.#people = parts.people;
		this.#resources = parts.resources;
	}

	/** Resolves when all processes are ready. */
	static async start(options: SimulatedPlatformOptions = {}): Promise<SimulatedPlatform> {
		await using prepared = new AsyncDisposableStack();
		const { podManagers = 2, people: count = 4, env, apiPortOf } = options;
		const cluster = prepared.use(await SimulatedCluster.start(options.cluster));
		const nats = prepared.use(await startNatsServer());
		const port = await freePort();
		const people = Array.from({ length: count }, (_, n) => `token-of-person-${n}`);
		const kubeconfig = cluster.managerKubeconfig(await apiPortOf?.(cluster));
		const platform = prepared.use(
			new TestPlatform(port, { config: configOf({ port, nats: nats.url, people, kubeconfig }), ...(env && { env }) }),
		);
		const first = await memberOf(platform, "core", core, platform.url);
		const managers = await Promise.all(
			Array.from({ length: podManagers }, (_, n) => memberOf(platform, `pod-manager-${n + 1}`, managing)),
		);
		await Promise.all([first, ...managers].map(({ member }) => member.start()));
		const doors = managers.map(({ door }) => `http://127.0.0.1:${door}`);
		const agents = prepared.use(new SimulatedAgents(cluster.admin, doors));
		return new SimulatedPlatform({
			cluster,
			platform,
			core: first.member,
			managers: managers.map(({ member }) => member),
			agents,
			people,
			resources: prepared.move(),
		});
	}

	/** Returns the client of a person. */
	clientOf(person: number): ApiClient {
		const token = this.#people[person % this.#people.length] ?? "";
		return new ApiClient(this.platform.prefix, { authorization: `Bearer ${token}` });
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#resources.disposeAsync();
	}
}

interface Parts {
	readonly cluster: SimulatedCluster;
	readonly platform: TestPlatform;
	readonly core: ClusterMember;
	readonly managers: readonly ClusterMember[];
	readonly agents: SimulatedAgents;
	readonly people: readonly string[];
	readonly resources: AsyncDisposableStack;
}

interface Places {
	readonly port: number;
	readonly nats: string;
	readonly people: readonly string[];
	readonly kubeconfig: string;
}

function configOf({ port, nats, people, kubeconfig }: Places): Record<string, unknown> {
	const users = people.map((token, n) => ({ token, id: `person-${n}` }));
	return {
		bus: { url: nats },
		gateway: { public_url: `http://127.0.0.1:${port}` },
		identity: { adapter: "test/support/cluster/dev-over-bus.ts#DevOverBus", kwargs: { users } },
		limits: { running_per_user: 0, running_per_tenant: 0, requests_per_second: 0, in_flight_per_tenant: 0 },
		pods: {
			agent_hosts: ["10.0.0.0/8"],
			runtime: { adapter: runtime, kwargs: { kubeconfig, door_url: "http://127.0.0.1:1", image: "session:1" } },
		},
	};
}

/** @param url The address of a gateway; default: it is none. */
async function memberOf(platform: TestPlatform, name: string, services: readonly string[], url?: string) {
	const [own, ops, door] = [await freePort(), await freePort(), await freePort()];
	const at = url ?? `http://127.0.0.1:${own}`;
	const isManager = services.includes("pod-manager");
	const env = {
		PORT: new URL(at).port,
		OPS__PORT: String(ops),
		...(isManager && { PODS__RUNTIME__KWARGS__DOOR_PORT: String(door) }),
	};
	const opsUrl = `http://127.0.0.1:${ops}`;
	return {
		member: new ClusterMember(platform, { name, services, env, root: undefined, url: at, opsUrl, network: undefined }),
		door,
	};
}
