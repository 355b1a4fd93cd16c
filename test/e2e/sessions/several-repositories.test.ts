/**
 * A session with three repositories side by side: how far the clones are is seen, every answer names paths below the
 * workspace, and a stop and a start keep everything.
 * Night: it makes and clones a repository of 300 MB.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Timeline } from "#shared/contracts/sessions/chronicles.ts";
import type { DiffFileList, DiffPatch, FileDiff } from "#shared/contracts/sessions/session-diff.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { SessionLogs } from "#shared/contracts/sessions/sessions.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { fileUrl, git, makeRepository } from "../../support/repositories/git-repository.ts";

const largeFiles = 30;
const largeFileBytes = 10 * 1_048_576;
/** The time limit of a launch is 300 s. */
const launchMs = 290_000;

/** Makes a repository whose content no compression makes smaller; git does not try. */
function makeLargeRepository(folder: string): string {
	mkdirSync(folder, { recursive: true });
	git(folder, ["init", "--quiet", "--initial-branch=main"]);
	for (const setting of ["core.compression=0", "pack.compression=0", "core.bigFileThreshold=1m"])
		git(folder, ["config", ...setting.split("=")]);
	for (let n = 0; n < largeFiles; n++) writeFileSync(join(folder, `blob-${n}.bin`), randomBytes(largeFileBytes));
	git(folder, ["add", "--all"]);
	git(folder, ["commit", "--quiet", "--message", "large"]);
	return folder;
}

const byPath = ({ files }: DiffFileList): string[] => files.map(({ path, status }) => `${status} ${path}`).sort();

describe("a session with several repositories", function () {
	this.timeout(900_000);
	let folder: string;
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-several-"));
		const url = (name: string): string => fileUrl(join(folder, "git", name));
		makeRepository(join(folder, "git/api"), { "src/a.ts": "export const a = 1;\n", "package.json": "{}\n" });
		git(makeRepository(join(folder, "git/web"), { "index.html": "<p>one</p>\n" }), ["branch", "next"]);
		makeLargeRepository(join(folder, "git/assets"));
		const templates = join(folder, "templates");
		mkdirSync(templates);
		const repos = [
			{ url: url("api"), path: "api" },
			{ url: url("web"), branch: "next", path: "clients/web" },
			{ url: url("assets") },
		];
		const setup_scripts = ['ls > listed.txt && basename "$ATELIER_LAYOUT_ROOT" > root.txt'];
		const stack = { name: "stack", repos, setup_scripts, workspace_layout: { root: "api" } };
		writeFileSync(join(templates, "stack.yaml"), JSON.stringify(stack));
		const broken = { name: "broken", repos: [repos[0], { url: url("missing"), path: "gone" }] };
		writeFileSync(join(templates, "broken.yaml"), JSON.stringify(broken));
		const outside = { name: "outside", repos: [repos[0], { url: url("web"), path: "../web" }] };
		writeFileSync(join(templates, "outside.yaml"), JSON.stringify(outside));
		platform = await startPlatform({ config: { templates: { kwargs: { folder: templates } } } });
		api = platform.client();
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	async function create(template_name: string): Promise<Session> {
		const { status, body, text } = await api.post<Session>("/sessions", { name: "several", template_name });
		if (status !== 201) throw new Error(`No session was created: ${status} ${text}`);
		return body;
	}

	async function told<T>(path: string): Promise<T> {
		const { status, body, text } = await api.get<T>(path);
		if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
		return body;
	}

	let id: string;

	it("clones them at the same time, and tells how far it is", async () => {
		const created = await create("stack");
		({ id } = created);
		// A repository has the branch of its remote as soon as it is cloned.
		expect(created.repositories).to.deep.equal([
			{ url: `file://${folder}/git/api`, branch: "", path: "api" },
			{ url: `file://${folder}/git/web`, branch: "next", path: "clients/web" },
			{ url: `file://${folder}/git/assets`, branch: "", path: "assets" },
		]);
		const seen = new Set<string>();
		await eventually(
			async () => {
				const { status, status_reason, error } = await told<Session>(`/sessions/${id}`);
				if (status === "failed") throw new Error(`The session failed: ${error}`);
				if (status_reason?.code === "CLONING") seen.add(status_reason.message);
				return status === "running";
			},
			{ withinMs: launchMs, everyMs: 100, what: "the session is running" },
		);
		console.log([...seen]);
		expect([...seen].join("\n")).to.match(/^Cloning: api done in [\d.]+ s, clients\/web .*, assets [a-z ]+ \d+ %/m);
	});

	it("tells the time of each clone, in the session and in its log", async () => {
		const { repositories } = await told<Session>(`/sessions/${id}`);
		console.log(repositories.map(({ path, cloned_ms }) => `${path} ${cloned_ms} ms`));
		for (const { path, cloned_ms } of repositories) expect(cloned_ms, path).to.be.a("number");
		const { lines } = await told<SessionLogs>(`/sessions/${id}/logs?lines=2000`);
		const said = lines.map(({ message }) => message).join("\n");
		for (const { path } of repositories) {
			expect(said).to.match(new RegExp(`^Repository "${path}" is being cloned`, "m"));
			expect(said).to.match(new RegExp(`^Repository "${path}" was cloned in [\\d.]+ s$`, "m"));
		}
		expect(said).to.match(/^Repository "assets": [a-z ]+ \d+ %$/m);
	});

	it("lets the agent work in the layout's root, and the setup scripts in the workspace around it", async () => {
		const seen = await ask(
			api,
			id,
			"$ ls; git -C ../clients/web symbolic-ref --short HEAD; cat ../listed.txt ../root.txt",
		);
		expect(seen).to.equal("package.json\nsrc\nnext\napi\nassets\nclients\nlisted.txt\napi\n");
	});

	const changed = [
		"mod api/src/a.ts",
		"mod clients/web/index.html",
		"new assets/note.txt",
		"new listed.txt",
		"new root.txt",
	];

	it("names the changes of all of them by their paths below the workspace", async () => {
		const work =
			"echo 'export const b = 2;' >> src/a.ts; echo two > ../clients/web/index.html; echo x > ../assets/note.txt";
		await ask(api, id, `$ ${work}`);
		expect(byPath(await told<DiffFileList>(`/sessions/${id}/diff`))).to.deep.equal(changed.toSorted());
		const { patch, truncated } = await told<DiffPatch>(`/sessions/${id}/diff?format=patch`);
		expect(truncated).to.equal(false);
		for (const path of ["api/src/a.ts", "clients/web/index.html", "assets/note.txt", "listed.txt"])
			expect(patch).to.contain(`+++ b/${path}\n`);
		for (const [file, added] of [
			["api/src/a.ts", "export const b = 2;"],
			["assets/note.txt", "x"],
			["root.txt", "api"],
		] as const) {
			const { filePath, hunks } = await told<FileDiff>(`/sessions/${id}/diff?file=${encodeURIComponent(file)}`);
			expect(filePath).to.equal(file);
			expect(hunks.flatMap(({ lines }) => lines)).to.deep.include({
				type: "add",
				content: added,
				newLine: file === "api/src/a.ts" ? 2 : 1,
			});
		}
		const against = await told<DiffFileList>(`/sessions/${id}/diff?base=default-branch`);
		expect(byPath(against)).to.deep.equal(changed.toSorted());
	});

	it("has their changes and commits in one timeline", async () => {
		const author = "-c user.name=Ada -c user.email=ada@example.com";
		await ask(api, id, `$ cd ../clients/web && git ${author} commit --quiet --all --message "Say two"`);
		const timeline = await eventually(
			async () => {
				const found = await told<Timeline>(`/chronicles/${id}/timeline`);
				return found.commits.length > 0 ? found : undefined;
			},
			{ withinMs: 60_000, what: "the commit is in the timeline" },
		);
		expect(timeline.commits.map(({ msg }) => msg)).to.deep.equal(["Say two"]);
		const files = timeline.files.map(({ path }) => path);
		expect(files).to.include.members(["api/src/a.ts", "clients/web/index.html", "assets/note.txt"]);
	});

	it("keeps all of them through a stop and a start, without another clone", async () => {
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped", 60_000);
		const stored = await told<DiffFileList>(`/sessions/${id}/diff`);
		expect(byPath(stored)).to.include.members(["mod api/src/a.ts", "new assets/note.txt"]);
		await api.post(`/sessions/${id}/start`);
		await sessionReaches(api, id, "running", launchMs);
		expect(await ask(api, id, "$ tail -1 src/a.ts; cat ../clients/web/index.html ../assets/note.txt")).to.equal(
			"export const b = 2;\ntwo\nx\n",
		);
		const { lines } = await told<SessionLogs>(`/sessions/${id}/logs?lines=2000`);
		expect(lines.map(({ message }) => message).join("\n")).not.to.contain("is being cloned");
		expect(byPath(await told<DiffFileList>(`/sessions/${id}/diff`))).to.include("mod api/src/a.ts");
	});

	it("are in a new session that continues in its workspace, with branches, commits and changes", async () => {
		const before = await told<DiffFileList>(`/sessions/${id}/diff`);
		await api.delete(`/sessions/${id}`);
		const again = await eventually(
			async () => {
				const made = await api.post<Session>("/sessions", { name: "again", workspace_id: id });
				return made.status === 201 && made.body;
			},
			{ withinMs: 60_000, everyMs: 500, what: "the workspace belongs to no session any more" },
		);
		await sessionReaches(api, again.id, "running", launchMs);
		expect(again.repositories?.map(({ path }) => path)).to.deep.equal(["api", "clients/web", "assets"]);
		const seen = await ask(
			api,
			again.id,
			"$ tail -1 api/src/a.ts; cd clients/web; git symbolic-ref --short HEAD; git log -1 --format=%s; ls ../../assets | wc -l",
		);
		expect(seen).to.equal(`export const b = 2;\nnext\nSay two\n${largeFiles + 1}\n`);
		expect(byPath(await told<DiffFileList>(`/sessions/${again.id}/diff`))).to.deep.equal(byPath(before));
	});

	it("fails by the name of the repository that cannot be cloned, and leaves no half of a workspace", async () => {
		const { id: failing } = await create("broken");
		const { error } = await eventually(
			async () => {
				const session = await told<Session>(`/sessions/${failing}`);
				return session.status === "failed" && session;
			},
			{ withinMs: 60_000, what: "the session has failed" },
		);
		expect(error).to.match(/^Cannot clone "file:\/\/.*\/git\/missing": .*does not appear to be a git repository/);
	});

	it("refuses a template whose repository would lie outside, by a sentence", async () => {
		const { status, body } = await api.post<{ detail: string }>("/sessions", { name: "x", template_name: "outside" });
		expect(status).to.equal(422);
		expect(body.detail).to.match(/^"..\/web" cannot be the folder of a repository/);
	});
});
