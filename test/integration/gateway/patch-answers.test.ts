/** The patch of a session as text: git applies the bytes of the answer. */
import { expect } from "chai";
import type { Context } from "moleculer";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { WorkspaceDiff } from "#agent/workspace/diff/workspace-diff.ts";
import { Git, localEnvironment } from "#agent/workspace/git.ts";
import { wholeTree } from "#agent/workspace/work-tree.ts";
import { filesOfPatch } from "#shared/wire/pod/diff-output.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { git, makeRepository } from "../../support/repositories/git-repository.ts";
import { startGateway, type TestGateway } from "../../support/platform/start-gateway.ts";
import { TestSession } from "../../support/pods/test-pod.ts";

const path = "/api/v1/svc/sessions/6f1c0d52-0000-4000-8000-000000000001/diff";
const files = { "changed.txt": "one\ntwo\n", "deleted.txt": "gone\n" };

describe("a patch as text", () => {
	let folder: string;
	let session: TestSession;
	let workspace: WorkspaceDiff;
	let gateway: TestGateway;
	let truncated: boolean;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-patch-"));
		for (const name of ["workspace", "clone"]) makeRepository(join(folder, name), files);
		mkdirSync(join(folder, "scratch"));
		session = new TestSession();
		const runner = new Git(localEnvironment(process.env, session.launch()), new LogBuffer([]));
		workspace = new WorkspaceDiff(wholeTree(join(folder, "workspace")), {
			scratch: join(folder, "scratch"),
			git: runner,
		});
		const patchOf = async (base: string) => {
			const patch = await workspace.patch(base);
			return { ...patch, truncated: patch.truncated || truncated };
		};
		const answer = async ({ params: { format, base } }: Context<{ format: string; base: string }>) =>
			format === "patch" ? patchOf(base) : workspace.files(base);
		const services = [{ name: sessions.name, actions: { diff: answer } }];
		gateway = await startGateway({ nodes: 1, contracts: [sessions], services });
	});
	beforeEach(() => {
		truncated = false;
		writeFileSync(join(folder, "workspace/changed.txt"), "one\r\nTWO ä €\nno newline at the end");
		rmSync(join(folder, "workspace/deleted.txt"), { force: true });
		writeFileSync(join(folder, "workspace/new.txt"), "new\n");
		git(join(folder, "clone"), ["reset", "-q", "--hard"]);
		git(join(folder, "clone"), ["clean", "-qfd"]);
	});
	after(async () => {
		await gateway.stop();
		await session[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true });
	});

	async function applied(accept: string): Promise<Headers> {
		const answer = await fetch(`http://127.0.0.1:${gateway.port}${path}?format=patch`, { headers: { accept } });
		expect(answer.status).to.equal(200);
		const file = join(folder, "answer.patch");
		writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
		git(join(folder, "clone"), ["apply", file]);
		for (const name of ["changed.txt", "new.txt"])
			expect(readFileSync(join(folder, "clone", name))).to.deep.equal(readFileSync(join(folder, "workspace", name)));
		expect(git(join(folder, "clone"), ["status", "--porcelain"])).to.include("D deleted.txt");
		return answer.headers;
	}

	for (const accept of ["text/x-diff", "text/x-patch", "application/json;q=0.1, Text/X-Patch;q=1"]) {
		it(`is applied by git when the client accepts ${accept}`, async () => {
			const headers = await applied(accept);
			expect(headers.get("content-type")).to.match(/^text\/x-(diff|patch); charset=utf-8$/);
			expect([headers.get("atelier-truncated"), headers.get("vary")]).to.deep.equal(["false", "Accept"]);
		});
	}

	it("says in a header and in its first line that it is incomplete, and is applied as far as it goes", async () => {
		truncated = true;
		expect((await applied("text/x-diff")).get("atelier-truncated")).to.equal("true");
		expect(readFileSync(join(folder, "answer.patch"), "utf8")).to.match(/^This patch is incomplete: .*\ndiff --git /);
	});

	it("has the contents of changed, new and deleted binary files", async () => {
		for (const place of ["workspace", "clone"]) {
			writeFileSync(join(folder, place, "image.bin"), Buffer.from([0, 1, 2, 255, 0]));
			writeFileSync(join(folder, place, "old.bin"), Buffer.from([0, 9, 0]));
			git(join(folder, place), ["add", "image.bin", "old.bin"]);
			git(join(folder, place), ["commit", "-qm", "binaries", "--", "image.bin", "old.bin"]);
		}
		const [image, added] = [randomBytes(50_000), Buffer.concat([Buffer.alloc(1), randomBytes(2_000)])];
		writeFileSync(join(folder, "workspace/image.bin"), image);
		writeFileSync(join(folder, "workspace/added.bin"), added);
		rmSync(join(folder, "workspace/old.bin"));
		const headers = await applied("text/x-diff");
		expect(headers.get("atelier-truncated")).to.equal("false");
		expect(readFileSync(join(folder, "clone/image.bin")).equals(image)).to.equal(true);
		expect(readFileSync(join(folder, "clone/added.bin")).equals(added)).to.equal(true);
		expect(existsSync(join(folder, "clone/old.bin"))).to.equal(false);
	});

	it("names binary files without room, and is applied without them", async () => {
		for (const [name, bytes] of Object.entries({ "huge.bin": 1_200_000, "large.bin": 800_000, "small.bin": 300 }))
			writeFileSync(join(folder, "workspace", name), Buffer.concat([Buffer.alloc(1), randomBytes(bytes)]));
		const headers = await applied("text/x-diff");
		expect(headers.get("atelier-truncated")).to.equal("true");
		const note = readFileSync(join(folder, "answer.patch"), "utf8").split("\ndiff --git", 1)[0];
		expect(note?.split("\n").slice(1).toSorted()).to.deep.equal(["Missing: huge.bin", "Missing: large.bin"]);
		expect(existsSync(join(folder, "clone/small.bin"))).to.equal(true);
		const list = await workspace.wholePatch("last-commit");
		expect(filesOfPatch(list.patch).map(({ path: name }) => name)).to.include.members(["huge.bin", "small.bin"]);
		for (const name of ["huge.bin", "large.bin", "small.bin"]) rmSync(join(folder, "workspace", name));
	});

	it("is JSON for everybody else, as is the list of files", async () => {
		for (const [query, accept, member] of [
			["?format=patch", "*/*", "patch"],
			["?format=patch", "text/html, application/json", "patch"],
			["", "text/x-diff", "files"],
		] as const) {
			const answer = await fetch(`http://127.0.0.1:${gateway.port}${path}${query}`, { headers: { accept } });
			expect(answer.headers.get("content-type"), accept).to.equal("application/json");
			expect(await answer.json()).to.have.property(member);
		}
	});
});
