/** Starts a platform on the machine of a cluster, whose sessions are pods of the cluster. */
import { readFileSync, writeFileSync } from "node:fs";
import { parse, stringify } from "yaml";
import { finalizer, label, selectorOf } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";
import { freePort } from "../../machine/free-port.ts";
import { type PlatformOptions, TestPlatform } from "../../platform/start-platform.ts";
import { addresses } from "./cluster-files.ts";
import { clusterImage } from "./cluster-images.ts";
import type { MachineRelay } from "./machine-relay.ts";

/** The namespace of sessions. */
export const sessionsNamespace = "atelier-sessions";
const clusterAdapter = "services/pod-manager/pod-runtimes/kubernetes.ts#KubernetesRuntime";

export interface PlatformCluster {
	readonly kubeconfig: string;
	readonly client: ApiClient;
	readonly relay: MachineRelay;
	/** The image of sessions; default: the usual one. */
	readonly image?: string;
	/** Origins beside those of the configuration that the platform and its sessions may reach. */
	readonly origins?: readonly string[];
}

type Config = Record<string, unknown>;

/** Resolves when it is usable. Its pods, accounts and volume claims are removed with it. @param kwargs Further arguments of the runtime. */
export async function startClusteredPlatform(
	cluster: PlatformCluster,
	options: PlatformOptions = {},
	kwargs: Config = {},
): Promise<TestPlatform> {
	const [port, doorPort] = [await freePort(), await freePort()];
	const origin = `http://${addresses.machine}:${port}`;
	const runtime = {
		adapter: clusterAdapter,
		kwargs: {
			kubeconfig: cluster.kubeconfig,
			image: cluster.image ?? clusterImage.session,
			door_url: `http://${addresses.machine}:${doorPort}`,
			door_port: doorPort,
			platform_origin: origin,
			// The machine of the tests has few processors, and its pods wait most of the time.
			memory_mb: 512,
			processors: 1,
			processor_share: 1,
			disk_mb: 256,
			...kwargs,
		},
	};
	const models = await reachableModels(options.config?.["models"], cluster.relay);
	const clustered = (config: Config): Config => ({ ...withPods(config, runtime, cluster.origins), ...models });
	const platform = new TestPlatform(port, { ...options, config: clustered(options.config ?? {}) });
	const reconfigure = platform.reconfigure.bind(platform);
	platform.reconfigure = (config) => reconfigure(clustered(config));
	const alone = platform[Symbol.asyncDispose].bind(platform);
	platform[Symbol.asyncDispose] = async () => {
		await platform.kill();
		const key = openInstallationKey(platform.dataDir, options.env?.["ATELIER_INSTALLATION_KEY"] ?? "");
		await removeObjects(cluster.client, key.installationId());
		await alone();
	};
	try {
		await cluster.relay.publish(platform.url);
		await platform.start();
	} catch (error) {
		await platform[Symbol.asyncDispose]();
		throw error;
	}
	return platform;
}

/** Returns a configuration with sessions in pods, which reach the gateway and every server of the test at an address of the machine. */
function withPods(config: Config, runtime: object, origins: readonly string[] = []): Config {
	const { allowed_hosts = [], ...gateway }: { allowed_hosts?: readonly string[] } = Object.assign(
		{},
		config["gateway"],
	);
	const { allow = [], ...outbound }: { allow?: readonly string[] } = Object.assign({}, config["outbound"]);
	return {
		...config,
		gateway: { ...gateway, allowed_hosts: [...allowed_hosts, addresses.machine] },
		outbound: { ...outbound, allow: [...allow, ...origins] },
		pods: { ...Object.assign({}, config["pods"]), runtime, agent_hosts: [addresses.pods] },
	};
}

interface Catalogue {
	readonly providers: readonly { readonly endpoints: Readonly<Record<string, string>> }[];
}

/** Resolves to the configuration of models whose providers pods reach, too; nothing without a file of the test. */
async function reachableModels(models: unknown, relay: MachineRelay): Promise<Config> {
	const { file }: { file?: string } = Object.assign({}, models);
	if (file === undefined) return {};
	const catalogue: Catalogue = parse(readFileSync(file, "utf8"));
	const providers = await Promise.all(
		catalogue.providers.map(async (provider) => {
			const endpoints: Record<string, string> = {};
			for (const [form, url] of Object.entries(provider.endpoints))
				endpoints[form] = url.replace(new URL(url).origin, await relay.publish(url));
			return { ...provider, endpoints };
		}),
	);
	const reachable = `${file}.reachable.yaml`;
	writeFileSync(reachable, stringify({ ...catalogue, providers }));
	return { models: { file: reachable } };
}

/** Removes the objects of an installation, whose pods nobody ends any more. */
async function removeObjects(client: ApiClient, installation: string): Promise<void> {
	const labelSelector = selectorOf({ [label.installation]: installation });
	for (const plural of ["pods", "serviceaccounts", "persistentvolumeclaims"]) {
		const resource = { version: "v1", plural, namespace: sessionsNamespace };
		const { items } = await client.list(resource, ({ metadata }) => metadata, { labelSelector });
		for (const { name, finalizers } of items) {
			if (finalizers?.includes(finalizer))
				await orGone(client.patch(resource, name, { metadata: { finalizers: null } }));
			await orGone(client.delete(resource, name, { graceSeconds: 0 }));
		}
	}
}

async function orGone(call: Promise<unknown>): Promise<void> {
	await call.catch((error: unknown) => {
		if (!(error instanceof ApiError && error.status === 404)) throw error;
	});
}
