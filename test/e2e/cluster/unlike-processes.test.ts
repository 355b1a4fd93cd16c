/**
 * Processes that cannot work together: the second one does not start, and says why (real NATS and MongoDB).
 * Night: it starts a cluster and several processes beside it, one of which is refused after ten seconds.
 */
import { expect } from "chai";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import { eventually } from "../../support/eventually.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

describe("a process that is unlike the others", function () {
	this.timeout(180_000);
	let cluster: Cluster;
	let folder: string;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-unlike-"));
		cluster = await startCluster({ gateways: 1, cores: 1, podManagers: 1 });
	});
	after(async () => {
		await cluster?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	/** Starts a process that must not stay; resolves with what it says. */
	async function refused(services: readonly string[], env: Record<string, string>): Promise<string> {
		const process = cluster.platform.startProcess(services, { PORT: "0", ...env });
		expect(await process.ended(60_000), process.output).to.be.oneOf([1, 78]);
		return process.output;
	}

	const podServices = ["credentials", "pod-manager", "models"];
	const gateway = ["gateway", "stream"];

	it("is refused for other models and templates, with a store and without one", async () => {
		const models = join(folder, "models.yaml");
		cpSync("config/models.yaml", models);
		writeFileSync(models, "\n# another file\n", { flag: "a" });
		for (const services of [storingServices, gateway])
			expect(await refused(services, { MODELS__FILE: models })).to.include("other models");
		const templates = join(folder, "templates");
		mkdirSync(templates);
		expect(await refused(storingServices, { TEMPLATES__KWARGS__FOLDER: templates })).to.include("other templates");
	});

	it("is let in during an update that has a label, and both say so", async () => {
		const templates = join(folder, "new-templates");
		mkdirSync(templates);
		const env = { TEMPLATES__KWARGS__FOLDER: templates, PROCESSES__ROLLOUT: "2", PORT: "0" };
		const process = cluster.platform.startProcess(storingServices, env);
		const isTold = async () => {
			const { body } = await cluster.client().get<string>("/../../../health");
			return JSON.stringify(body).includes("Processes of two rollouts run, with other templates");
		};
		await eventually(isTold, { withinMs: 60_000, what: "the gateway tells about the update" });
		expect(process.hasEnded, process.output).to.equal(false);
		await process.stop();
	});

	it("is refused for another installation key", async () => {
		const key = Buffer.alloc(32, 7).toString("base64url");
		expect(await refused(storingServices, { ATELIER_INSTALLATION_KEY: key })).to.include("installation key");
	});

	it("is refused for another store of the secrets of users", async () => {
		const env = { SECRETS__ADAPTER: "services/settings/secret-stores/memory.ts#MemorySecrets" };
		expect(await refused(storingServices, env)).to.include("other stores of the secrets of users");
	});

	it("is refused as a second host with local pods on loopback", async () => {
		const dataDir = join(folder, "second-host");
		mkdirSync(dataDir, { mode: 0o700 });
		cpSync(join(cluster.platform.dataDir, "keys"), join(dataDir, "keys"), { recursive: true });
		expect(await refused(podServices, { DATA_DIR: dataDir })).to.include("listen_host");
	});

	it("is let in when it is like the others, also after the others were killed", async () => {
		await cluster.member("core-1").kill();
		await cluster.member("core-1").start();
		await cluster.member("pod-manager-1").kill();
		await cluster.member("pod-manager-1").start();
	});
});
