/**
 * Every process of a platform is replaced under 50 requests a second: by one of the same version, and by one of this version
 * where those of an earlier commit run. No request fails, and sessions go on.
 * Night: six processes start and are replaced, twice.
 * Alone: it measures answers under load.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/project-root.ts";
import { startCluster } from "../../support/cluster/start-cluster.ts";
import { fileUrl, makeRepository } from "../../support/repositories/git-repository.ts";
import { ask, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { FormerTree, formerCommit, hasCommit } from "../../support/rolling/former-tree.ts";
import { clientBehind, proxyBefore, roll } from "../../support/rolling/rolling-restart.ts";
import { SteadyLoad } from "../../support/rolling/steady-load.ts";

const config = { gateway: { allowed_hosts: ["127.0.0.1"] }, git: { allowed_protocols: ["file"] } };
const kinds = ["core", "pod-manager", "gateway"] as const;

describe("the replacement of every process", function () {
	this.timeout(600_000);
	let folder: string;
	let repo: string;

	before(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-upgrade-"));
		repo = fileUrl(makeRepository(join(folder, "repository")));
	});

	after(() => rmSync(folder, { recursive: true, force: true }));

	/** @param root The source tree of the first processes; undefined: this one. */
	async function replaceAll(root?: string): Promise<void> {
		await using cluster = await startCluster({ podManagers: 2, config, ...(root !== undefined && { root }) });
		await using haproxy = await proxyBefore(cluster);
		const api = clientBehind(haproxy, cluster);
		const created = await api.post<SessionView>("/sessions", { name: "kept", source: { type: "git", repo } });
		expect(created.status, created.text).to.equal(201);
		const { body } = created;
		await sessionReaches(api, body.id, "running");
		const load = new SteadyLoad(api, { rate: 50 });
		await roll({ cluster, haproxy }, kinds, projectRoot);
		await load.end();
		console.log(`      ${load.good} requests, the slowest took ${Math.round(load.slowest)} ms`);
		expect(load.firstFailures(), cluster.lastLines()).to.equal("");
		expect(await load.doubted()).to.deep.equal([]);
		expect(await ask(api, body.id, "$ echo still here")).to.include("still here");
	}

	it("by the same version fails no request", () => replaceAll());

	it("by this version fails no request of a platform of the commit before", async function () {
		if (!hasCommit(formerCommit)) return this.skip();
		using former = new FormerTree(formerCommit);
		await replaceAll(former.root);
	});
});
