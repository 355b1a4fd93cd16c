/** Sessions of a real platform move their issues and show related ones, in one process and over a failing tracker. */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { SessionIssues } from "#shared/contracts/tracker/issues.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import {
	connectLinear,
	linearDefinition,
	type LinearDefinition,
} from "../../support/providers/linear/linear-connection.ts";
import { type LinearFake, startLinearFake } from "../../support/providers/linear/linear-fake.ts";
import { fileUrl, makeRepository } from "../../support/repositories/git-repository.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-root", id: "root", tenant: "acme", roles: ["admin"] },
];

describe("issues of sessions", function () {
	this.timeout(120_000);
	let folder: string;
	let repo: string;
	let fake: LinearFake;
	let definition: LinearDefinition;
	let platform: TestPlatform;
	const api = (name: string): ApiClient => platform.client({ authorization: `Bearer token-of-${name}` });

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-moves-"));
		repo = fileUrl(makeRepository(join(folder, "repository")));
		fake = await startLinearFake("lin_api_alice", "alice");
		for (const [identifier, title] of [
			["ENG-1", "Login fails"],
			["ENG-2", "Login is slow"],
			["ENG-3", "Export"],
			["OPS-1", "Login of machines"],
		] as const)
			fake.add({ identifier, title });
		definition = linearDefinition([fake.url]);
		platform = await startPlatform({ config: { identity: { kwargs: { users } }, ...definition.config } });
		await connectLinear(api("alice"), fake.url, "lin_api_alice");
		const mapping = { repo_url: repo, project_id: "ENG", tracker: "linear", on_start: "in progress", on_merge: "Done" };
		expect((await api("root").post("/tracker/mappings", mapping)).status).to.equal(201);
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await fake?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
		if (definition) rmSync(definition.folder, { recursive: true, force: true });
	});

	async function session(who: string, name: string, issue_id: string): Promise<string> {
		const body = { name, source: { type: "git", repo, branch: "main" }, issue_id, issue_url: "https://linear.app/x" };
		const created = await api(who).post<Session>("/sessions", body);
		expect(created.status, created.text).to.equal(201);
		expect(created.body).to.include({ tracker_issue_id: issue_id, issue_tracker_url: "https://linear.app/x" });
		await sessionReaches(api(who), created.body.id, "running");
		return created.body.id;
	}

	async function issuesOf(id: string, who = "alice"): Promise<SessionIssues> {
		const { status, body, text } = await api(who).get<SessionIssues>(`/sessions/${id}/issues`);
		expect(status, text).to.equal(200);
		return body;
	}

	it("move when their session runs, and are shown with related ones to those who see the session", async () => {
		const id = await session("alice", "login-again", "ENG-1");
		await eventually(() => fake.stateOf("ENG-1") === "In Progress");
		const found = await eventually(async () => {
			const read = await issuesOf(id);
			return read.moves[0]?.state === "done" && read.linked?.status === "In Progress" ? read : undefined;
		});
		expect(found.linked).to.include({ identifier: "ENG-1" });
		expect(found.related.map(({ identifier }) => identifier)).to.deep.equal(["ENG-2", "ENG-3"]);
		expect(found.mapping).to.include({ project_id: "ENG" });
		expect(found.moves).to.have.length(1);
		expect(found.moves[0]).to.include({ issue_id: "ENG-1", event: "start", attempts: 1, error: null });
		expect(found.warnings).to.deep.equal([]);
		expect((await api("bob").get(`/sessions/${id}/issues`)).status, "a colleague").to.equal(404);
	});

	it("that cannot be moved are told with the reason", async () => {
		const [unknown, foreign] = [await session("alice", "unknown-one", "ENG-99"), await session("bob", "his", "ENG-2")];
		const failed = (id: string, who: string) =>
			eventually(async () => (await issuesOf(id, who)).moves.find(({ state }) => state === "failed"));
		expect((await failed(unknown, "alice")).error).to.include("ENG-99");
		expect((await failed(foreign, "bob")).error).to.equal("The owner of the session has no such tracker");
		expect(fake.stateOf("ENG-2")).to.equal("Todo");
		expect((await issuesOf(foreign, "bob")).warnings).to.deep.equal(["You have no connection to the tracker"]);
	});

	it("are moved later when the tracker is away", async () => {
		let refusals = 1;
		fake.fault = (response) => {
			if (refusals-- <= 0) return false;
			response.writeHead(500).end();
			return true;
		};
		const id = await session("alice", "patient", "ENG-3");
		await eventually(() => fake.stateOf("ENG-3") === "In Progress", { withinMs: 60_000 });
		const { moves } = await eventually(async () => {
			const read = await issuesOf(id);
			return read.moves[0]?.state === "done" ? read : undefined;
		});
		expect(moves[0]?.attempts).to.be.above(1);
		fake.fault = undefined;
	});
});
