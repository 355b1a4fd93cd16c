/** Folders of the host as the workspace of sessions: who may use which, what is read-only, and that none is removed. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { DiffFileList } from "#shared/contracts/sessions/session-diff.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { commitFiles, git, makeRepository } from "../../support/repositories/git-repository.ts";

describe("local sources", function () {
	this.timeout(180_000);
	let folder: string;
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-local-"));
		makeRepository(join(folder, "code/app"), { "a.txt": "one\n" });
		makeRepository(join(folder, "code/lib"), { "b.txt": "two\n" });
		mkdirSync(join(folder, "outside"));
		symlinkSync(join(folder, "outside"), join(folder, "code/escape"));
		const local_mounts = { enabled: true, allowed_prefixes: [join(folder, "code")] };
		platform = await startPlatform({ config: { git: { local_mounts } } });
		api = platform.client();
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	const create = (source: object) =>
		api.post<Session & { detail: string }>("/sessions", { name: "local", source: { type: "local_mount", ...source } });
	const changed = async (id: string) =>
		(await api.get<DiffFileList>(`/sessions/${id}/diff`)).body.files.map(({ path, status }) => `${status} ${path}`);
	const host = (...parts: string[]) => join(folder, "code", ...parts);

	async function running(source: object): Promise<Session> {
		const { status, body, text } = await create(source);
		if (status !== 201) throw new Error(`No session was created: ${status} ${text}`);
		await sessionReaches(api, body.id, "running");
		return body;
	}

	it("are meaningful on this server, as its flags say", async () => {
		expect((await api.get("/feature-flags")).body).to.include({ local_mounts_enabled: true });
	});

	it("make one folder the workspace itself, with its changes, through a stop and a start, and do not remove it", async () => {
		const session = await running({ local_path: host("app") });
		expect(session).to.deep.include({ repo: "", branch: "", repositories: [] });
		expect(session.source).to.deep.equal({
			type: "local_mount",
			paths: [{ host_path: host("app"), mount_path: "/workspace", read_only: false }],
		});
		expect(await ask(api, session.id, "$ cat a.txt; echo more >> a.txt; echo x > new.txt")).to.equal("one\n");
		expect(readFileSync(host("app/a.txt"), "utf8")).to.equal("one\nmore\n");
		expect(await changed(session.id)).to.deep.equal(["mod a.txt", "new new.txt"]);
		await api.post(`/sessions/${session.id}/stop`);
		await sessionReaches(api, session.id, "stopped");
		await api.post(`/sessions/${session.id}/start`);
		await sessionReaches(api, session.id, "running");
		expect(await ask(api, session.id, "$ cat new.txt")).to.equal("x\n");
		await api.delete(`/sessions/${session.id}`, { body: { cleanup: ["workspace_storage"] } });
		const stored = join(platform.dataDir, "sessions", session.id);
		await eventually(() => !existsSync(stored), { withinMs: 60_000, what: "the session's folders are removed" });
		expect(readFileSync(host("app/new.txt"), "utf8")).to.equal("x\n");
	});

	it("put several folders into one workspace, and leave the read-only ones as they are", async () => {
		const { id } = await running({
			paths: [
				{ host_path: host("app"), mount_path: "/workspace/app", read_only: false },
				{ host_path: host("lib"), mount_path: "/workspace/lib" },
			],
		});
		await ask(api, id, "$ echo app >> app/a.txt; echo lib >> lib/b.txt; echo beside > beside.txt");
		expect(readFileSync(host("app/a.txt"), "utf8")).to.match(/app\n$/);
		expect(readFileSync(host("lib/b.txt"), "utf8")).to.equal("two\n");
		expect(await ask(api, id, "$ cat lib/b.txt")).to.equal("two\nlib\n");
		expect(await changed(id)).to.include.members(["mod app/a.txt", "mod lib/b.txt", "new beside.txt"]);
		await api.delete(`/sessions/${id}`);
	});

	it("compare a linked git work tree with its own branch, alone and beside others, and copy none", async () => {
		git(host("app"), ["worktree", "add", "--quiet", "-b", "side", host("side")]);
		commitFiles(host("side"), { "side.txt": "of the branch\n" }, "side");
		git(host("app"), ["pack-refs", "--all"]);
		const alone = await running({ local_path: host("side") });
		await ask(api, alone.id, "$ echo more >> side.txt; echo x > beside.txt; git add beside.txt");
		expect(await changed(alone.id)).to.deep.equal(["new beside.txt", "mod side.txt"]);
		expect(await ask(api, alone.id, "$ git commit -qam turn && git log -1 --format=%s")).to.include("turn");
		expect(await changed(alone.id)).to.deep.equal([]);
		await api.delete(`/sessions/${alone.id}`);
		const paths = [{ host_path: host("side"), mount_path: "/workspace/side", read_only: false }];
		const beside = await running({ paths });
		await ask(api, beside.id, "$ echo again >> side/side.txt");
		expect(await changed(beside.id)).to.include("mod side/side.txt");
		await api.delete(`/sessions/${beside.id}`);
		const { status, body } = await create({ paths: [{ host_path: host("side"), mount_path: "/workspace/side" }] });
		expect(status).to.equal(422);
		expect(body.detail).to.include("is a linked git work tree or a submodule").and.to.include("read_only: false");
	});

	it("are checked again at the next start, when a link leads outside by then", async () => {
		mkdirSync(host("moving"));
		const { id } = await running({ local_path: host("moving") });
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
		renameSync(host("moving"), host("moved"));
		symlinkSync(join(folder, "outside"), host("moving"));
		await api.post(`/sessions/${id}/start`);
		const { error } = await eventually(
			async () => {
				const { body } = await api.get<Session>(`/sessions/${id}`);
				return body.status === "failed" && body;
			},
			{ withinMs: 60_000, what: "the session has failed" },
		);
		expect(error).to.match(/moving" is not below one of the allowed folders/);
	});

	const refused: [what: string, source: () => object, words: RegExp][] = [
		["a folder outside", () => ({ local_path: join(folder, "outside") }), /not below one of the allowed folders/],
		["a link that leads outside", () => ({ local_path: host("escape") }), /not below one of the allowed folders/],
		["two dots", () => ({ local_path: `${host()}/../outside` }), /absolute path without "\.\."/],
		[
			"a place outside",
			() => ({ paths: [{ host_path: host("app"), mount_path: "/../x" }] }),
			/cannot be a `mount_path`/,
		],
		["no folder", () => ({}), /needs `paths` or `local_path`/],
	];
	for (const [what, source, words] of refused) {
		it(`refuse ${what} with 422`, async () => {
			const { status, body } = await create(source());
			expect(status).to.equal(422);
			expect(body.detail).to.match(words);
		});
	}
});
