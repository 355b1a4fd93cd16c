/**
 * kill -9 in the middle of each change of credentials: what was acknowledged is there, and no value of a deleted one
 * remains. The secrets of pods go also when platform and pods are killed.
 * Long: it kills and starts the platform six times.
 */
import { expect } from "chai";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { type SessionView, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

describe("kill -9 in the middle of a change of credentials", function () {
	this.timeout(180_000);

	function put(api: ApiClient, name: string, field: string) {
		return api.post("/credentials", { name, data: { [field]: `canary-${field}` } });
	}

	/** Returns the stored files with their texts. */
	function files(platform: TestPlatform): Map<string, string> {
		const folder = join(platform.dataDir, "credentials/user/dev-user");
		return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
	}

	async function keys(api: ApiClient, name: string): Promise<string[] | undefined> {
		return (await api.get<{ keys?: string[] }>(`/credentials/${name}`)).body.keys;
	}

	it("loses nothing that was acknowledged, and halves nothing", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		for (const name of ["kept", "changed", "deleted"]) expect((await put(api, name, "one")).status).to.equal(201);
		await platform.kill();
		for (const point of ["credentials.files-removed", "credentials.written"]) {
			for (const change of [() => put(api, "changed", "two"), () => api.delete("/credentials/deleted")]) {
				const dying = platform.startProcess([], { ATELIER_FAILPOINTS: `${point}=kill` });
				platform.processes = [dying];
				await platform.ready();
				expect(await keys(api, "kept"), "acknowledged before a kill").to.deep.equal(["one"]);
				expect(await change().catch(() => "no answer"), point).to.equal("no answer");
				await dying.ended();
			}
		}
		await platform.start();
		expect(await keys(api, "kept")).to.deep.equal(["one"]);
		expect(["one", "two"]).to.include((await keys(api, "changed"))?.join());
		expect((await put(api, "changed", "three")).status).to.equal(201);
		expect([204, 404]).to.include((await api.delete("/credentials/deleted")).status);
		const stored = files(platform);
		expect([...stored.keys()].toSorted()).to.deep.equal(["changed.json", "credentials.json", "kept.json"]);
		expect(stored.get("changed.json")).to.equal('{"three":"canary-three"}');
		expect([...stored.values()].join()).not.to.contain("canary-two");
	});

	it("removes the secrets of pods that were killed together with the platform", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		await put(api, "token", "one");
		const order = { name: "test", source: { type: "git", repo: "" }, credential_names: ["token"] };
		const { id } = (await api.post<SessionView>("/sessions", order)).body;
		await sessionReaches(api, id, "running");
		const secrets = () =>
			readdirSync(join(platform.dataDir, "run"), { recursive: true, encoding: "utf8" }).filter((path) =>
				path.endsWith("secrets/env.sh"),
			);
		expect(secrets()).to.have.length(1);
		await platform.kill();
		for (const { pid } of platform.sessionProcesses()) process.kill(pid, "SIGKILL");
		await platform.start();
		await eventually(async () => (await api.get<SessionView>(`/sessions/${id}`)).body.status === "failed", {
			withinMs: 30_000,
			what: "the session is failed",
		});
		await eventually(() => secrets().length === 0, { withinMs: 30_000, what: "its secrets are gone" });
	});
});
