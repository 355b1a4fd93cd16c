/**
 * Loaded by mocha before a suite: the sessions of every test that starts a whole platform run in containers then, at the engine whose
 * socket `ATELIER_TEST_ENGINE` names. Repositories and git hosts of the tests are on machines of a company's network. The tests are
 * the same.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { freePort } from "../machine/free-port.ts";
import { listenOnLoopback, loopbackUrl } from "../machine/loopback-server.ts";
import { reachBy } from "../machine/reachable-url.ts";
import { type PlatformOptions, startPlatformsBy, TestPlatform } from "../platform/start-platform.ts";
import { runBackend } from "../repositories/git-http-server.ts";
import { CompanyNetwork } from "./company-network.ts";
import { containersAdapter } from "./contained-platform.ts";
import { buildCompanyImage } from "./session-image.ts";

const socket = process.env["ATELIER_TEST_ENGINE"] ?? "";
const company = await CompanyNetwork.start();
process.once("exit", () => company[Symbol.dispose]());
const authority = company.authority.cert;
const image = buildCompanyImage({ run }, authority);
const repositories = await serveRepositories();
// The tests are clients of these machines, too.
setDefaultCACertificates([...getCACertificates(), readFileSync(authority, "utf8")]);

reachBy({ server: (loopback) => company.publish(loopback), folder: (path) => repositories + path });
const trusting = { NODE_EXTRA_CA_CERTS: authority, GIT_SSL_CAINFO: authority };
startPlatformsBy(startContained, trusting);

/** Serves all repositories of this machine; resolves to the origin. */
async function serveRepositories(): Promise<string> {
	const server = createServer((request, response) => runBackend("/", request, response));
	server.unref();
	await listenOnLoopback(server);
	return company.publish(loopbackUrl(server));
}

async function startContained(options: PlatformOptions): Promise<TestPlatform> {
	const { config = {}, env = {} } = options;
	const whole = { ...options, config: contained(config), env: { ...trusting, ...env } };
	const platform = new TestPlatform(await freePort(), whole);
	const reconfigure = platform.reconfigure.bind(platform);
	platform.reconfigure = (changed) => reconfigure(contained(changed));
	const alone = platform[Symbol.asyncDispose].bind(platform);
	platform[Symbol.asyncDispose] = async () => {
		await platform.kill();
		removeContainers(platform.dataDir, env["ATELIER_INSTALLATION_KEY"] ?? "");
		await alone();
	};
	try {
		await platform.start();
	} catch (error) {
		await platform[Symbol.asyncDispose]();
		throw error;
	}
	console.log("      with containers");
	return platform;
}

/** Returns a configuration with sessions in containers. */
function contained(config: Record<string, unknown>): Record<string, unknown> {
	const runtime = { adapter: containersAdapter, kwargs: { socket, image, internal_hosts: company.addresses } };
	const pods = { ...Object.assign({}, config["pods"]), runtime };
	const { allow = [], ...outbound }: { allow?: readonly string[] } = Object.assign({}, config["outbound"]);
	return { ...config, pods, outbound: { ...outbound, allow: [...allow, repositories] } };
}

function removeContainers(dataDir: string, key: string): void {
	const filter = `label=atelier.installation=${openInstallationKey(dataDir, key).installationId()}`;
	const all = run("docker", "ps", "-aq", "--filter", filter).split("\n").filter(Boolean);
	if (all.length > 0) run("docker", "rm", "-f", ...all);
}

function run(program: string, ...args: string[]): string {
	const env = { PATH: process.env["PATH"], DOCKER_HOST: `unix://${socket}`, DOCKER_BUILDKIT: "0" };
	return execFileSync(program, args, { encoding: "utf8", env, stdio: "pipe" });
}
