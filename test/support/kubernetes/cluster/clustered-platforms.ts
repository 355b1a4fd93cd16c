/**
 * Loaded by mocha before a suite, on the machine of a cluster whose kubeconfig `ATELIER_TEST_KUBECONFIG` names: the sessions of every test
 * that starts a whole platform are pods then. Repositories and git hosts of the tests are at an address of the machine. The tests are the same.
 */
import { createServer } from "node:http";
import { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { Kubeconfig } from "#shared/kubernetes/api/kubeconfig.ts";
import { listenOnLoopback, loopbackUrl } from "../../machine/loopback-server.ts";
import { reachBy } from "../../machine/reachable-url.ts";
import { startPlatformsBy } from "../../platform/start-platform.ts";
import { runBackend } from "../../repositories/git-http-server.ts";
import { addresses } from "./cluster-files.ts";
import { startClusteredPlatform } from "./clustered-platform.ts";
import { MachineRelay } from "./machine-relay.ts";

const kubeconfig = process.env["ATELIER_TEST_KUBECONFIG"] ?? "";
const client = new ApiClient({ access: await Kubeconfig.open({ file: kubeconfig }) });
const relay = new MachineRelay(addresses.machine);
const repositories = await serveRepositories();

reachBy({ server: (loopback) => relay.publish(loopback), folder: (path) => repositories + path });
startPlatformsBy(async (options) => {
	const platform = await startClusteredPlatform({ kubeconfig, client, relay }, options);
	console.log("      with pods");
	return platform;
});

/** Serves all repositories of this machine; resolves to the origin. */
async function serveRepositories(): Promise<string> {
	const server = createServer((request, response) => runBackend("/", request, response));
	server.unref();
	await listenOnLoopback(server);
	return relay.publish(loopbackUrl(server));
}
