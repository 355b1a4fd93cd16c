/**
 * Loaded by mocha before a suite, on the machine of a cluster whose kubeconfig `ATELIER_TEST_KUBECONFIG` names: the sessions of every test
 * that starts a whole platform are pods then. Repositories and git hosts of the tests are at an address of the machine, with a certificate of
 * an authority that the image `ATELIER_TEST_IMAGE` trusts, whose files are in the folder `ATELIER_TEST_AUTHORITY`. The tests are the same.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { Kubeconfig } from "#shared/kubernetes/api/kubeconfig.ts";
import { listenOnLoopback, loopbackUrl } from "../../machine/loopback-server.ts";
import { reachBy } from "../../machine/reachable-url.ts";
import { startPlatformsBy } from "../../platform/start-platform.ts";
import { runBackend } from "../../repositories/git-http-server.ts";
import { addresses } from "./cluster-files.ts";
import { startClusteredPlatform } from "./clustered-platform.ts";
import { MachineRelay } from "./machine-relay.ts";

const { ATELIER_TEST_KUBECONFIG: kubeconfig = "", ATELIER_TEST_IMAGE: image = "" } = process.env;
const folder = process.env["ATELIER_TEST_AUTHORITY"] ?? "";
const authority = join(folder, "company.pem");
const server = { cert: join(folder, "server.pem"), key: join(folder, "server.key") };
const trusting = { NODE_EXTRA_CA_CERTS: authority, GIT_SSL_CAINFO: authority };

const client = new ApiClient({ access: await Kubeconfig.open({ file: kubeconfig }) });
const relay = new MachineRelay(addresses.machine);
const repositories = await serveRepositories();
// The tests are clients of these servers, too.
setDefaultCACertificates([...getCACertificates(), readFileSync(authority, "utf8")]);

reachBy({ server: (loopback) => relay.publishSecurely(loopback, server), folder: (path) => repositories + path });
startPlatformsBy(async (options) => {
	const trusted = { ...options, env: { ...trusting, ...options.env } };
	const platform = await startClusteredPlatform({ kubeconfig, client, relay, image, origins: [repositories] }, trusted);
	console.log("      with pods");
	return platform;
}, trusting);

/** Serves all repositories of this machine; resolves to the origin. */
async function serveRepositories(): Promise<string> {
	const backend = createServer((request, response) => runBackend("/", request, response));
	backend.unref();
	await listenOnLoopback(backend);
	return relay.publishSecurely(loopbackUrl(backend), server);
}
