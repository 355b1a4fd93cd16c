/**
 * The next start after kill -9 of the platform restores the state, with one agent for each session.
 * Long: it kills and starts the platform again and again.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import {
	ask,
	createSession,
	runningSession,
	sessionReaches,
	type SessionView,
} from "../../support/platform/session-steps.ts";
import { startStallingRepository } from "../../support/repositories/stalling-repository.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

describe("kill -9 of the platform", function () {
	this.timeout(90_000);
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-crash-"));
	});

	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	it("while a session runs: the same agent goes on, and there is no second one", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const { id } = await runningSession(api);
		await ask(api, id, "$ echo before > kept.txt");
		const before = platform.agents();
		expect(before).to.have.length(1);

		await platform.kill();
		await platform.start();

		await sessionReaches(api, id, "running");
		expect(await ask(api, id, "$ cat kept.txt")).to.include("before");
		expect(platform.agents()).to.deep.equal(before);
	});

	it("while a session is provisioning: the session reaches running, with one agent", async () => {
		await using repository = await startStallingRepository(join(folder, "repository"));
		await using platform = await startPlatform();
		const api = platform.client();
		const { id } = await createSession(api, repository.url);
		await sessionReaches(api, id, "provisioning");
		await eventually(() => repository.waiting > 0, { withinMs: 10_000, what: "git waits for the server" });

		await platform.kill();
		await platform.start();

		expect((await api.get(`/sessions/${id}`)).body).to.include({ status: "provisioning", generation: 1 });
		repository.release();
		await sessionReaches(api, id, "running");
		expect(platform.agents()).to.have.length(1);
		expect(await ask(api, id, "$ cat README.md")).to.include("# Example");
	});

	it("right after a command: every acknowledged command takes effect", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const running = await runningSession(api);
		// The answer waits for the end of the pod, which would be too late here.
		api.post(`/sessions/${running.id}/stop`).catch(() => {});
		await eventually(async () => (await api.get<SessionView>(`/sessions/${running.id}`)).body.status !== "running");
		const { id } = await createSession(api);
		await platform.kill();

		await platform.start();
		await sessionReaches(api, running.id, "stopped");
		await sessionReaches(api, id, "running");
		await eventually(() => platform.agents().length === 1, { what: "one agent is left" });
		expect(platform.agents()[0]).to.include({ session: id });
	});
});
