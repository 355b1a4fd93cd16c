/**
 * Real faults of a cluster make the alerts fire in a real Prometheus, with shorter durations than those of the rules.
 * Night: it starts a cluster and waits for an alert, which takes a minute.
 */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/project-root.ts";
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import { eventually } from "../../support/eventually.ts";
import { Prometheus } from "../../support/operations/prometheus.ts";
import { runningSession } from "../../support/platform/session-steps.ts";

/** A minute of waiting is a second, and a minute that a rate looks back is four. */
function shortened(rules: string): string {
	return rules
		.replaceAll(/for: (\d+)m/g, (_, minutes: string) => `for: ${minutes}s`)
		.replaceAll(/\[(\d+)m\]/g, (_, minutes: string) => `[${Number(minutes) * 4}s]`);
}

describe("alerts", function () {
	this.timeout(600_000);
	let cluster: Cluster;
	let prometheus: Prometheus;
	let isAsking = true;
	let asking: Promise<void>;

	/** Fires, whatever else fires too. */
	async function fires(name: string): Promise<void> {
		await eventually(async () => (await prometheus.firing()).includes(name), {
			withinMs: 120_000,
			everyMs: 500,
			what: name,
		});
	}

	async function ask(): Promise<void> {
		const client = cluster.client();
		while (isAsking)
			await Promise.allSettled([client.get("/sessions"), new Promise((resolve) => setTimeout(resolve, 100))]);
	}

	before(async () => {
		cluster = await startCluster({ gateways: 1, cores: 1, podManagers: 1, proxies: true });
		const rules = readFileSync(join(projectRoot, "config/observability/alerts.yaml"), "utf8");
		prometheus = await Prometheus.start(
			shortened(rules),
			cluster.members.map(({ opsUrl }) => new URL(opsUrl).host),
		);
		asking = ask();
	});

	after(async () => {
		isAsking = false;
		await asking;
		await prometheus?.[Symbol.asyncDispose]();
		await cluster?.[Symbol.asyncDispose]();
	});

	it("are silent while nothing is wrong", async () => {
		await eventually(async () => (await prometheus.firing()).length === 0, { withinMs: 60_000 });
		expect(await prometheus.firing()).to.deep.equal([]);
	});

	it("AtelierAgentsCrashing: agents are killed", async () => {
		const client = cluster.client();
		for (let i = 0; i < 6; i++) {
			const { id } = await runningSession(client);
			for (const { pid } of cluster.platform.agents().filter(({ session }) => session === id))
				process.kill(pid, "SIGKILL");
		}
		await fires("AtelierAgentsCrashing");
	});
});
