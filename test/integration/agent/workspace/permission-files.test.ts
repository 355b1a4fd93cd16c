/** Files in which a coding agent keeps its permissions, with real git: in a pod, in diffs, and in commits. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { compareTrees } from "#agent/workspace/diff/several-diffs.ts";
import { Git, localEnvironment } from "#agent/workspace/git.ts";
import { ignorePermissionFiles } from "#agent/workspace/permission-files.ts";
import { commitWork } from "#agent/workspace/publish/work-commit.ts";
import { treesOfLaunch } from "#agent/workspace/work-tree.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { TestPod, TestSession } from "../../../support/pods/test-pod.ts";
import { commitFiles, fileUrl, git, makeRepository } from "../../../support/repositories/git-repository.ts";

const kept = ".claude/settings.local.json";
const permissionFiles = [kept];
const author = { name: "Ada Lovelace", email: "ada@example.com" };

describe("files with an agent's permissions", function () {
	this.timeout(60_000);
	let session: TestSession;
	beforeEach(() => {
		session = new TestSession();
		mkdirSync(join(session.folder, "scratch"));
	});
	afterEach(() => session[Symbol.asyncDispose]());

	const write = (path: string, text = "{}\n"): void => {
		const file = join(session.workspace, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	};
	const ownGit = (launch: LaunchDocument) => new Git(localEnvironment(process.env, launch), new LogBuffer([]));
	const changed = async (launch: LaunchDocument): Promise<string[]> => {
		const place = { scratch: join(session.folder, "scratch"), git: ownGit(launch), permissionFiles };
		const { files } = await compareTrees(treesOfLaunch(launch), place).files("last-commit");
		return files.map(({ path, status }) => `${status} ${path}`).sort();
	};
	const commit = async (launch: LaunchDocument): Promise<string[]> => {
		const place = {
			folder: session.workspace,
			git: ownGit(launch),
			signal: AbortSignal.timeout(30_000),
			permissionFiles,
		};
		await commitWork(place, "Work", author);
		return git(session.workspace, ["show", "--name-status", "--format=", "HEAD"]).trim().split("\n");
	};
	const repositories = (...paths: string[]) =>
		paths.map((path) => ({ url: "file:///nowhere", branch: "main", base_branch: "", path }));

	it("are ignored by each repository before the agent starts, so that its own commits have none", async () => {
		const url = fileUrl(makeRepository(join(session.folder, "origin")));
		const named = repositories("api", "web").map((one) => ({ ...one, url }));
		// The agent is not installed, so that the pod ends when its workspace is ready.
		const pod = new TestPod(session.launch({ repositories: named, agent: "claude" }));
		expect((await pod.phase("failed")).failure?.code).to.equal("AGENT_START_FAILED");
		for (const path of ["api", "web"]) {
			write(`${path}/${kept}`);
			write(`${path}/deep/${kept}`);
			write(`${path}/work.txt`);
			git(join(session.workspace, path), ["add", "--all"]);
			expect(git(join(session.workspace, path), ["status", "--porcelain"])).to.equal("A  work.txt\n");
		}
	});

	it("are in no diff and no commit when they are new, whatever the agent wrote into its repository", async () => {
		makeRepository(session.workspace, { "kept.txt": "one\n" });
		const launch = session.launch();
		write(".gitignore", `!**/${kept}\n`);
		write(".git/info/exclude", "");
		for (const path of [kept, `deep/${kept}`, "new.txt"]) write(path);
		write("kept.txt", "two\n");
		expect(await changed(launch)).to.deep.equal(["mod kept.txt", "new .gitignore", "new new.txt"]);
		expect(await commit(launch)).to.deep.equal(["A\t.gitignore", "M\tkept.txt", "A\tnew.txt"]);
		expect(existsSync(join(session.workspace, kept)), "nothing is deleted").to.equal(true);
	});

	it("are changes like all others when the repository tracks them", async () => {
		makeRepository(session.workspace);
		commitFiles(session.workspace, { [kept]: "{}\n", [`deep/${kept}`]: "{}\n" }, "permissions");
		const launch = session.launch();
		await ignorePermissionFiles(launch, permissionFiles);
		write(kept, `{"permissions":{}}\n`);
		rmSync(join(session.workspace, `deep/${kept}`));
		expect(await changed(launch)).to.deep.equal([`del deep/${kept}`, `mod ${kept}`]);
		expect(await commit(launch)).to.deep.equal([`M\t${kept}`, `D\tdeep/${kept}`]);
	});

	it("beside several repositories are in no diff either", async () => {
		for (const path of ["api", "libs"]) makeRepository(join(session.workspace, path));
		for (const path of [kept, `api/${kept}`, `libs/${kept}`, "beside.txt"]) write(path);
		expect(await changed(session.launch({ repositories: repositories("api", "libs") }))).to.deep.equal([
			"new beside.txt",
		]);
	});

	it("of a person stay in a linked folder, whose list of ignored files is the person's", async () => {
		const person = makeRepository(join(session.folder, "person"));
		symlinkSync(person, session.workspace);
		const launch = session.launch({ mounts: [{ host_path: person, path: "", read_only: false }] });
		write(kept, "of the person\n");
		const exclude = join(person, ".git/info/exclude");
		const before = existsSync(exclude) && readFileSync(exclude, "utf8");
		await ignorePermissionFiles(launch, permissionFiles);
		expect(await changed(launch)).to.deep.equal([]);
		expect(readFileSync(join(person, kept), "utf8")).to.equal("of the person\n");
		expect(existsSync(exclude) && readFileSync(exclude, "utf8")).to.equal(before);
	});

	it("are written through no link and no file that an agent put in the place of the list", async () => {
		const elsewhere = makeRepository(join(session.folder, "elsewhere"));
		const list = join(elsewhere, ".git/info/exclude");
		mkdirSync(dirname(list), { recursive: true });
		writeFileSync(list, "");
		const launch = session.launch();
		const dotGit = join(session.workspace, ".git");
		for (const replace of [
			() => symlinkSync(join(elsewhere, ".git"), dotGit),
			() => writeFileSync(dotGit, `gitdir: ${join(elsewhere, ".git")}\n`),
			() => {
				renameSync(join(makeRepository(join(session.folder, "third")), ".git"), dotGit);
				rmSync(join(dotGit, "info"), { recursive: true, force: true });
				symlinkSync(dirname(list), join(dotGit, "info"));
			},
		]) {
			rmSync(session.workspace, { recursive: true, force: true });
			mkdirSync(session.workspace);
			replace();
			await ignorePermissionFiles(launch, permissionFiles);
			expect(readFileSync(list, "utf8")).to.equal("");
		}
	});
});
