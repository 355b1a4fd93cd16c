/** Starts the real gateway in this process, on a free port, in front of a test's own services. */
import type { ServiceBroker } from "moleculer";
import type { Contract } from "#shared/contracts/contract.ts";
import { type Config, loadConfig } from "#shared/config/config.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import type { Part, Platform } from "#host/platform.ts";
import { openGateway } from "#services/gateway/compose.ts";
import type { Gateway } from "#services/gateway/gateway.ts";
import { gatewayService } from "#services/gateway/gateway.service.ts";
import { startNodes } from "../bus/test-brokers.ts";
import { noLog } from "./no-log.ts";

/** Three people beside `dev-user`; the token of each is `token-of-` and the id. */
export const people = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

export interface GatewayOptions {
	/** The count of nodes; 2: the services are on another node. */
	nodes?: 1 | 2;
	contracts: readonly Contract[];
	services: Part["services"];
	gateway?: Partial<Config["gateway"]>;
	stream?: Partial<Config["stream"]>;
	identity?: Partial<Config["identity"]>;
	limits?: Config["limits"];
	/** Adds what other parts of the process would add. */
	prepare?: (platform: Platform) => Promise<Part> | Part;
}

export interface TestGateway {
	readonly gateway: Gateway;
	readonly platform: Platform;
	readonly port: number;
	/** The gateway's own node. */
	readonly broker: ServiceBroker;
	/** The value of `Host` in an honest request. */
	readonly host: string;
	stop(): Promise<void>;
}

export function testPlatform({
	gateway,
	stream,
	identity,
	limits,
}: Omit<GatewayOptions, "contracts" | "services">): Platform {
	const config = loadConfig({ PORT: "0", DATA_DIR: "/nonexistent" });
	return {
		config: {
			...config,
			gateway: { ...config.gateway, ...gateway },
			stream: { ...config.stream, ...stream },
			identity: { ...config.identity, kwargs: { users: people }, ...identity },
			limits: limits ?? config.limits,
		},
		key: new InstallationKey(Buffer.alloc(32, 7)),
		trustsCallers: true,
		outbound: new Outbound(config.outbound),
		rawHandlers: new Map(),
		upgradeHandlers: new Map(),
		shortcomings: [],
		metrics: new Metrics(),
		readiness: new Map(),
		log: noLog,
		announce() {},
	};
}

export async function startGateway(options: GatewayOptions): Promise<TestGateway> {
	const platform = testPlatform(options);
	const part = await options.prepare?.(platform);
	const gateway = await openGateway(platform, options.contracts);
	const nodes = await startNodes(options.nodes ?? 1, options.services);
	const own = [...(part?.services ?? []), gatewayService(gateway, () => {})];
	for (const service of own) nodes.near.createService(service);
	await nodes.near.waitForServices(
		own.map(({ name }) => name),
		20_000,
		10,
	);
	const port = Number(new URL(gateway.url("127.0.0.1")).port);
	return {
		gateway,
		platform,
		port,
		broker: nodes.near,
		host: `127.0.0.1:${port}`,
		async stop() {
			await part?.drain?.();
			await gateway.drain();
			await nodes.stop();
		},
	};
}
