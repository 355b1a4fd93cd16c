/**
 * Every process of a platform is replaced under 50 requests a second, in the order of an upgrade. No request fails, and at each
 * step sessions start and go on.
 * Night: six processes start and are replaced.
 * Alone: it measures answers under load.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClusterMember } from "../../support/cluster/cluster-member.ts";
import { startCluster } from "../../support/cluster/start-cluster.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { fileUrl, makeRepository } from "../../support/repositories/git-repository.ts";
import { ask, runningSession } from "../../support/platform/session-steps.ts";
import { clientBehind, proxyBefore, roll } from "../../support/rolling/rolling-restart.ts";
import { SteadyLoad } from "../../support/rolling/steady-load.ts";

/** The order of docs/upgrade.md. */
const kinds = ["core", "pod-manager", "gateway"] as const;

/** Pods reach the platform through the proxy, whichever gateway runs. */
function configBehind(proxy: number) {
	return {
		gateway: { public_url: `http://127.0.0.1:${proxy}`, allowed_hosts: ["127.0.0.1"] },
		git: { allowed_protocols: ["https", "file"] },
	};
}

describe("the replacement of every process", function () {
	this.timeout(900_000);
	let folder: string;
	let repo: string;

	before(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-upgrade-"));
		repo = fileUrl(makeRepository(join(folder, "repository")));
	});

	after(() => rmSync(folder, { recursive: true, force: true }));

	it("fails no request", async () => {
		const port = await freePort();
		const config = configBehind(port);
		await using cluster = await startCluster({ podManagers: 2, config });
		await using haproxy = await proxyBefore(cluster, { port });
		const api = clientBehind(haproxy, cluster);
		const { id } = await runningSession(api, repo);
		const begun = [id];
		const load = new SteadyLoad(api, { rate: 50 });
		const replaced = async ({ name }: ClusterMember) => {
			begun.push((await runningSession(api, repo)).id);
			console.log(`      ${name} is replaced: ${load.summary}`);
		};
		try {
			await roll({ cluster, haproxy }, kinds, { replaced });
		} finally {
			await load.end();
			console.log(`      ${load.summary}`);
		}
		expect(load.firstFailures(), cluster.lastLines()).to.equal("");
		expect(await load.doubted()).to.deep.equal([]);
		for (const one of begun) expect(await ask(api, one, "$ echo still here")).to.include("still here");
	});
});
