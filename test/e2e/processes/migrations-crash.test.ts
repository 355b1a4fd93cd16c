/**
 * kill -9 at the end of a migration, before it is recorded: the next start runs it again, and nothing is counted twice.
 * Long: it starts the platform three times.
 */
import { expect } from "chai";
import { mkdirSync, rmSync } from "node:fs";
import { eventually } from "../../support/eventually.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

describe("kill -9 in a migration", function () {
	this.timeout(120_000);

	it("is made up for by the next start", async () => {
		await using platform = await startPlatform();
		await platform.stop();
		// The migration runs again, in an empty folder.
		rmSync(platform.dataDir, { recursive: true });
		mkdirSync(platform.dataDir, { mode: 0o700 });
		const dying = platform.startProcess([], { ATELIER_FAILPOINTS: "migrations.run=kill" });
		await dying.ended();
		expect(dying.exitCode).to.equal(null);
		platform.processes = [platform.startProcess([])];
		await platform.ready();
		const api = platform.client();
		const { status } = await api.post("/sessions", { name: "counted-once" });
		expect(status).to.equal(201);
		await eventually(async () => {
			expect((await api.get("/stats")).body).to.include({ total_sessions: 1 });
			return true;
		});
	});
});
