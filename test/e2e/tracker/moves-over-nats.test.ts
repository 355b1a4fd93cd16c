/** The tracker, the sessions' pods and the gateway in processes of their own: a session's issue still moves. */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionIssues } from "#shared/contracts/tracker/issues.ts";
import { type NatsServer, startNatsServer } from "../../support/bus/nats-server.ts";
import { eventually } from "../../support/eventually.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { storingServices } from "../../support/platform/storing-services.ts";
import { type LinearFake, startLinearFake } from "../../support/providers/linear/linear-fake.ts";
import { fileUrl, makeRepository } from "../../support/repositories/git-repository.ts";

const processes = [["gateway", "stream"], storingServices, ["credentials", "pod-manager", "models"]];

describe("moves of issues over NATS", function () {
	this.timeout(120_000);
	let folder: string;
	let fake: LinearFake;
	let nats: NatsServer;
	let platform: TestPlatform;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-moves-nats-"));
		fake = await startLinearFake();
		fake.add({ identifier: "ENG-1", title: "Login fails" });
		nats = await startNatsServer();
		const linear = { enabled: true, api_key: "lin_api_ada", api_url: fake.url };
		platform = await startPlatform({ processes, env: { BUS__URL: nats.url }, config: { linear } });
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await nats?.[Symbol.asyncDispose]();
		await fake?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	it("are made when the session runs", async () => {
		const api = platform.client();
		const repo = fileUrl(makeRepository(join(folder, "repository")));
		const mapping = { repo_url: repo, project_id: "ENG", on_start: "In Progress" };
		expect((await api.post("/tracker/mappings", mapping)).status).to.equal(201);
		const body = { name: "over-nats", source: { type: "git", repo, branch: "main" }, issue_id: "ENG-1" };
		const { status, body: session } = await api.post<{ id: string }>("/sessions", body);
		expect(status).to.equal(201);
		await eventually(() => fake.stateOf("ENG-1") === "In Progress", { withinMs: 30_000 });
		const found = await eventually(async () => {
			const read = await api.get<SessionIssues>(`/sessions/${session.id}/issues`);
			return read.body.moves[0]?.state === "done" && read.body;
		});
		expect(found.linked).to.include({ identifier: "ENG-1" });
		expect(found.moves).to.have.length(1);
	});
});
