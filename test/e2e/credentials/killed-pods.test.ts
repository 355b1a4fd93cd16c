/**
 * The secrets of pods that are killed together with the platform. It is apart from the table of crashes, because no change is under
 * way and the pods die, too.
 */
import { expect } from "chai";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import { type SessionView, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

describe("kill -9 of a platform and its pods", function () {
	this.timeout(120_000);

	it("leaves no secrets of the pods", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		await api.post("/credentials", { name: "token", data: { one: "canary-one" } });
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
