/**
 * The audit log of a running platform: who did what, in a chain that a verifier checks offline; nothing acknowledged is
 * missing after kill -9, and no secret is in it.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { AuditEntryResource } from "#shared/contracts/audit.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-adam", id: "adam", tenant: "acme", roles: ["admin"] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];
const canary = "canary-7f3a91";

describe("audit", function () {
	this.timeout(90_000);
	let platform: TestPlatform;
	let folder: string;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-audit-"));
		platform = await startPlatform({ config: { identity: { kwargs: { users } } } });
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	const as = (name: string) => platform.client({ authorization: `Bearer token-of-${name}` });

	async function entriesFor(query: string, name = "adam"): Promise<AuditEntryResource[]> {
		return (await as(name).get<AuditEntryResource[]>(`/admin/audit?${query}`)).body;
	}

	/** Returns the output and the exit code of the command. */
	function audit(...args: string[]): { output: string; code: number | null } {
		const env = { ...process.env, ATELIER_URL: platform.url, ATELIER_TOKEN: "token-of-adam" };
		const options = { cwd: projectRoot, env, encoding: "utf8" } as const;
		const { stdout, stderr, status } = spawnSync(process.execPath, ["cli/audit.ts", ...args], options);
		return { output: stdout + stderr, code: status };
	}

	it("says who changed what, and what administrators read of others", async () => {
		const alice = as("alice");
		const { id } = (await alice.post<{ id: string }>("/sessions", { name: "audited", initial_prompt: canary })).body;
		const prompt = { name: "greeting", content: canary, scope: "global", tags: [] };
		const { id: promptId } = (await alice.post<{ id: string }>("/prompts", prompt)).body;
		await alice.delete(`/prompts/${promptId}`);
		await as("adam").get(`/sessions/${id}`);
		await eventually(async () => (await entriesFor(`resource=sessions/${id}`)).length >= 2);
		const [read, created] = await entriesFor(`resource=sessions/${id}`);
		expect(read).to.deep.include({ actor: { kind: "user", id: "adam" }, action: "sessions.get", outcome: "read" });
		expect(created).to.deep.include({ actor: { kind: "user", id: "alice" }, action: "sessions.create" });
		expect(created?.changed).to.include({ status: "starting" });
		expect(created?.address).to.equal("127.0.0.1");
		await eventually(async () => (await entriesFor(`resource=prompts/${promptId}`)).length === 2);
		const outcomes = (await entriesFor(`resource=prompts/${promptId}`)).map(({ action, outcome }) => [action, outcome]);
		expect(outcomes).to.have.deep.members([
			["prompts.delete", "begun"],
			["prompts.create", "done"],
		]);
		expect(await entriesFor("actor=alice")).to.have.length.at.least(3);
	});

	it("says who changed a chronicle, a timeline and raw events, and who read a chronicle or a workspace of others (Q8)", async () => {
		const [alice, adam] = [as("alice"), as("adam")];
		const { id } = (await alice.post<{ id: string }>("/sessions", { name: "told" })).body;
		const draft = await alice.post<{ id: string }>(`/sessions/${id}/chronicle`, { summary: canary });
		expect(draft.status).to.be.oneOf([200, 201]);
		const chronicle = draft.body.id;
		expect(
			(await alice.request("PATCH", `/chronicles/${chronicle}`, { body: { summary: `${canary} again` } })).status,
		).to.equal(200);
		const event = { t: 1, type: "message", label: canary };
		expect((await alice.post(`/chronicles/${id}/timeline`, event)).status).to.be.oneOf([200, 201]);
		const said = { event_type: "message_user", timestamp: "2026-01-31T12:00:00Z", data: { content: canary } };
		const raw = { session_id: id, ...said, sequence: 1 };
		expect((await alice.post("/events", raw)).status).to.be.oneOf([200, 201]);
		await adam.get(`/chronicles/${chronicle}`);
		await adam.get("/chronicles");
		await eventually(async () => (await adam.get(`/workspaces/${id}`)).status === 200);
		const { id: workspace } = (await adam.get<{ id: string }>(`/workspaces/${id}`)).body;
		expect((await adam.delete(`/chronicles/${chronicle}`)).status).to.equal(204);
		const wanted = [
			[`resource=chronicles/${chronicle}`, "alice", "chronicles.update", "done"],
			[`resource=timelines/${chronicle}`, "alice", "chronicles.add_entry", "done"],
			[`resource=sessions/${id}`, "alice", "session-events.ingest", "begun"],
			[`resource=chronicles/${chronicle}`, "adam", "chronicles.get", "read"],
			["resource=chronicles", "adam", "chronicles.list", "read"],
			[`resource=workspaces/${workspace}`, "adam", "workspaces.get", "read"],
			[`resource=chronicles/${chronicle}`, "adam", "chronicles.delete", "done"],
		] as const;
		for (const [query, actor, action, outcome] of wanted)
			await eventually(
				async () =>
					(await entriesFor(query)).some(
						(one) => one.actor.id === actor && one.action === action && one.outcome === outcome,
					),
				{ what: `${query} ${action}` },
			);
		expect(JSON.stringify(await entriesFor("limit=500"))).not.to.include(canary);
	});

	it("says what was stored outside of the store, and never the values", async () => {
		const credential = { name: "the-key", secret_type: "api_key", data: { key: canary } };
		expect((await as("alice").post("/credentials", credential)).status).to.equal(201);
		const desk = new ApiClient(`${platform.url}/api/v1/users`, { authorization: "Bearer token-of-alice" });
		expect((await desk.post("/tokens", { name: "ci" })).status).to.equal(201);
		const profile = { name: "fast", workload_type: "session" };
		expect((await as("alice").post("/profiles", profile)).status).to.equal(201);
		await eventually(async () => {
			const found = (await entriesFor("actor=alice")).map(({ action, outcome }) => `${action} ${outcome}`);
			return ["credentials.create begun", "tokens.create done", "profiles.create done"].every((one) =>
				found.includes(one),
			);
		});
	});

	it("is for the administrators of its tenant only, and says who tried", async () => {
		expect((await as("alice").get("/admin/audit")).status).to.equal(403);
		await eventually(async () =>
			(await entriesFor("actor=alice")).some(
				({ action, outcome, reason }) =>
					action === "audit.list" && outcome === "refused" && reason === "Administrator role required",
			),
		);
		expect((await as("alice").get("/admin/audit/export")).status).to.equal(403);
		expect(JSON.stringify(await entriesFor("limit=500", "carol"))).not.to.include("alice");
	});

	it("lists in pages that do not overlap", async () => {
		await eventually(async () => (await entriesFor("limit=500")).length >= 4);
		const first = await as("adam").get<AuditEntryResource[]>("/admin/audit?limit=2");
		const [, cursor] = /[?&]cursor=([^&>]+)/.exec(first.headers.get("link") ?? "") ?? [];
		const second = await entriesFor(`limit=2&cursor=${cursor}`);
		const seqs = [...first.body, ...second].map(({ seq }) => seq);
		expect(seqs).to.deep.equal(seqs.toSorted((a, b) => b - a));
		expect(new Set(seqs).size).to.equal(4);
	});

	it("is exported and verified offline, and a changed line is found", async () => {
		const file = join(folder, "audit.ndjson");
		expect(audit("export", file).output).to.match(/^\d+ entries are in /);
		const whole = audit("verify", file);
		expect(whole.output).to.include("0 faults");
		expect(whole.code).to.equal(0);
		const text = readFileSync(file, "utf8");
		expect(text).not.to.include(canary);
		writeFileSync(join(folder, "forged.ndjson"), text.replace('"id":"alice"', '"id":"mallory"'));
		const forged = audit("verify", join(folder, "forged.ndjson"));
		expect(forged.output).to.match(/was changed/);
		expect(forged.code).to.equal(1);
		for (const unreadable of [join(folder, "absent.ndjson"), "package.json"])
			expect(audit("verify", unreadable).code).to.equal(3);
	});

	it("has the entry of a change whose process was killed before the relay ran", async () => {
		await platform.kill();
		const dying = platform.startProcess([], { ATELIER_FAILPOINTS: "prompts.written=kill" });
		platform.processes = [dying];
		await platform.ready();
		const prompt = { name: "last words", content: "x", scope: "global", tags: [] };
		await as("alice")
			.post("/prompts", prompt)
			.catch(() => {});
		await dying.ended();
		await platform.start();
		await eventually(async () =>
			(await entriesFor("actor=alice")).some(({ changed }) => changed?.["name"] === "last words"),
		);
	});
});
