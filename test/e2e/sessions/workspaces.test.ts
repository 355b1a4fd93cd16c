/**
 * Workspaces of a real platform: what a session leaves, and who may use it next.
 * Long: it runs a dozen sessions.
 */
import { expect } from "chai";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { WorkspaceView } from "#shared/contracts/workspaces/workspaces.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { unknownId } from "../../support/conformance/request.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { fileUrl, git, makeRepository } from "../../support/repositories/git-repository.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-root", id: "root", tenant: "acme", roles: ["admin"] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

describe("workspaces", function () {
	this.timeout(120_000);
	let platform: TestPlatform;
	const api = (name: string): ApiClient => platform.client({ authorization: `Bearer token-of-${name}` });

	before(async () => {
		platform = await startPlatform({
			config: {
				identity: { kwargs: { users } },
				workspaces: { quota: { count: 6 } },
			},
		});
	});
	after(() => platform?.[Symbol.asyncDispose]());

	async function create(who: string, body: object): Promise<SessionView> {
		const answer = await api(who).post<SessionView>("/sessions", { name: "s", ...body });
		expect(answer.status, answer.text).to.equal(201);
		return answer.body;
	}

	async function reaches(who: string, id: string, status: string): Promise<WorkspaceView> {
		return eventually(
			async () => {
				const { body } = await api(who).get<WorkspaceView>(`/workspaces/${id}`);
				return body.status === status ? body : undefined;
			},
			{ withinMs: 30_000, what: `workspace ${id} is ${status}` },
		);
	}

	async function idsFor(who: string, path = "/workspaces"): Promise<string[]> {
		return (await api(who).get<WorkspaceView[]>(path)).body.map(({ id }) => id);
	}

	/** Ends with the session deleted and its workspace archived. */
	async function left(who: string, id: string): Promise<void> {
		expect((await api(who).delete(`/sessions/${id}`)).status).to.equal(204);
		await reaches(who, id, "archived");
	}

	function folderOf(id: string): string {
		return join(platform.dataDir, "sessions", id);
	}

	it("give a new session the files, branches and uncommitted changes of all repositories", async () => {
		const shop = makeRepository(join(platform.folder, "shop"));
		git(shop, ["branch", "--move", "trunk"]);
		const tools = makeRepository(join(platform.folder, "tools"));
		const first = await create("alice", { source: { type: "git", repo: fileUrl(shop) } });
		await sessionReaches(api("alice"), first.id, "running");
		const running = (await api("alice").get<Session>(`/sessions/${first.id}`)).body;
		expect(
			[running.branch, running.source.branch, running.repositories?.[0]?.branch],
			"as the remote's HEAD",
		).to.deep.equal(["trunk", "trunk", "trunk"]);
		const { session_id, source_url, source_ref, status } = (
			await api("alice").get<WorkspaceView>(`/workspaces/${first.id}`)
		).body;
		expect({ session_id, source_url, source_ref, status }).to.deep.equal({
			session_id: first.id,
			source_url: fileUrl(shop),
			source_ref: null,
			status: "active",
		});
		await ask(api("alice"), first.id, "$ git checkout -q -b topic && echo changed >> README.md && echo new > new.txt");
		await ask(
			api("alice"),
			first.id,
			`$ git clone -q ${fileUrl(tools)} tools && cd tools && git checkout -q -b inner && echo x > x`,
		);
		await left("alice", first.id);
		expect(existsSync(join(folderOf(first.id), "state")), "the records of the session").to.equal(false);

		const restored = await api("alice").post<WorkspaceView>(`/workspaces/${first.id}/restore`);
		const { body: after } = restored;
		expect([restored.status, after.status, after.archived_at, after.source_ref]).to.deep.equal([
			200,
			"active",
			null,
			"trunk",
		]);
		expect((await api("alice").post(`/workspaces/${first.id}/restore`)).status).to.equal(409);
		const second = await create("alice", { name: "again", workspace_id: first.id });
		expect(second).to.deep.include({ repo: fileUrl(shop), branch: "trunk" });
		await sessionReaches(api("alice"), second.id, "running");
		const seen = await ask(
			api("alice"),
			second.id,
			"$ git branch --show-current; git status --short; git -C tools branch --show-current; cat tools/x",
		);
		expect(seen.trim().split("\n")).to.deep.equal(["topic", " M README.md", "?? new.txt", "?? tools/", "inner", "x"]);
		expect(git(join(folderOf(first.id), "workspace"), ["branch", "--show-current"]).trim()).to.equal("topic");
		const found = (await api("alice").get<WorkspaceView>(`/workspaces/${second.id}`)).body;
		expect(found, "it is found by its new session too").to.include({ id: first.id, session_name: "again" });
		await api("alice").delete(`/sessions/${second.id}`, { body: { cleanup: ["workspace_storage"] } });
		await eventually(() => !existsSync(folderOf(first.id)) && !existsSync(folderOf(second.id)));
		expect(await idsFor("alice")).to.deep.equal([]);
	});

	it("do not exist for other people, and administrators have those of their tenant only", async () => {
		const { id } = await create("alice", {});
		const attempts = (who: string, one: string) => [
			api(who).get(`/workspaces/${one}`),
			api(who).delete(`/workspaces/${one}`),
			api(who).post(`/workspaces/${one}/restore`),
			api(who).post("/sessions", { name: "s", workspace_id: one }),
			api(who).post("/workspaces/bulk-delete", { session_ids: [one] }),
		];
		for (const stranger of ["bob", "carol"]) {
			const [foreign, unknown] = await Promise.all([id, unknownId].map((one) => Promise.all(attempts(stranger, one))));
			expect(foreign?.map(({ status }) => status)).to.deep.equal([404, 404, 404, 422, 200]);
			expect(foreign?.map(({ text }) => text.replaceAll(id, unknownId))).to.deep.equal(
				unknown?.map(({ text }) => text),
			);
			expect(await idsFor(stranger)).to.deep.equal([]);
		}
		expect((await api("bob").get("/admin/workspaces")).status).to.equal(403);
		expect((await api("bob").post("/admin/workspaces/bulk-delete", { session_ids: [id] })).status).to.equal(403);
		expect(await idsFor("carol", "/admin/workspaces")).to.deep.equal([]);
		expect(await idsFor("root", "/admin/workspaces")).to.include(id);
		expect(await idsFor("root", "/admin/workspaces?user_id=bob")).to.deep.equal([]);
		const own = await api("root").post<object>("/workspaces/bulk-delete", { session_ids: [id] });
		expect(own.body, "it is not the administrator's own").to.deep.include({ deleted: 0 });
		await sessionReaches(api("alice"), id, "running");
		const busy = await api("alice").delete(`/workspaces/${id}`);
		expect([busy.status, JSON.parse(busy.text).detail]).to.deep.equal([
			409,
			`Cannot delete workspace "${id}": session "${id}" is running in it; stop it first`,
		]);
		await left("alice", id);
		const all = await api("root").post("/admin/workspaces/bulk-delete", { session_ids: [id] });
		expect(all.body).to.deep.equal({ deleted: 1, failed: [] });
		await eventually(() => !existsSync(folderOf(id)), { what: "the files are gone" });
	});

	it("come in pages with an entity tag, are measured, and are kept while their session is archived", async () => {
		const ids: string[] = [];
		for (let n = 0; n < 2; n++) ids.unshift((await create("bob", {})).id);
		for (const id of ids) {
			await sessionReaches(api("bob"), id, "running");
			await ask(api("bob"), id, "$ head -c 300000 /dev/urandom > large; ln -s /usr link");
			await api("bob").post(`/sessions/${id}/archive`);
			await reaches("bob", id, "archived");
		}
		const page = await api("bob").get<WorkspaceView[]>("/workspaces?limit=1&status=archived");
		expect(page.body.map(({ id }) => id)).to.deep.equal(ids.slice(0, 1));
		const next = /<\/api\/v1\/svc([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
		expect(await idsFor("bob", next)).to.deep.equal(ids.slice(1));
		const isMeasured = async () =>
			(await api("bob").get<WorkspaceView[]>("/workspaces")).body.every(({ size_bytes }) => size_bytes !== null);
		await eventually(isMeasured, { withinMs: 30_000, what: "both are measured" });
		const measured = await api("bob").get<WorkspaceView[]>("/workspaces");
		for (const { size_bytes } of measured.body) expect(size_bytes).to.be.within(300_000, 5_000_000);
		const tag = measured.headers.get("etag") ?? "";
		expect((await api("bob").get("/workspaces", { headers: { "if-none-match": tag } })).status).to.equal(304);

		const [one = "", two = ""] = ids;
		await api("bob").post(`/sessions/${one}/restore`);
		await reaches("bob", one, "active");
		await api("bob").post(`/sessions/${one}/start`);
		await sessionReaches(api("bob"), one, "running");
		expect(await ask(api("bob"), one, "$ ls")).to.include("large");
		expect((await api("bob").delete(`/workspaces/${two}`)).status).to.equal(204);
		await eventually(() => !existsSync(join(folderOf(two), "workspace")));
		await api("bob").post(`/sessions/${two}/restore`);
		await api("bob").post(`/sessions/${two}/start`);
		await sessionReaches(api("bob"), two, "running");
		expect(await ask(api("bob"), two, "$ ls"), "a new workspace").to.not.include("large");
		for (const id of ids) await api("bob").delete(`/sessions/${id}`, { body: { cleanup: ["workspace_storage"] } });
		await eventually(async () => (await idsFor("bob")).length === 0, { withinMs: 30_000 });
	});

	it("have a quota per user, and a session beyond it is told what to delete", async () => {
		const ids: string[] = [];
		for (let n = 0; n < 6; n++) ids.push((await create("alice", {})).id);
		const { status, text, headers } = await api("alice").post("/sessions", { name: "s" });
		expect([status, headers.get("x-error-code")]).to.deep.equal([409, "WORKSPACE_QUOTA"]);
		expect(text).to.include("The quota of 6 workspaces is used up").and.to.include(ids[0]);
		for (const id of ids) await api("alice").delete(`/sessions/${id}`, { body: { cleanup: ["workspace_storage"] } });
		await eventually(async () => (await idsFor("alice")).length === 0, { withinMs: 30_000 });
		const { id } = await create("alice", {});
		await api("alice").delete(`/sessions/${id}`, { body: { cleanup: ["workspace_storage"] } });
	});
});
