/** A session whose files are gone, as after a restore without them, says so when it starts with a fresh clone. */
import { expect } from "chai";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { ask, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { fileUrl, git, makeRepository } from "../../support/repositories/git-repository.ts";

const lost = /^launch: The files of this session's earlier launches are not there; .* what was not pushed is missing$/;

describe("a session without the files of its earlier launches", function () {
	this.timeout(60_000);
	let folder: string;
	let platform: TestPlatform;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-lost-files-"));
		platform = await startPlatform();
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	/** Creates a session and waits for its first status at rest. */
	async function created(name: string, reaches: string, more: object): Promise<string> {
		const answer = await platform.client().post<SessionView>("/sessions", { name, ...more });
		expect(answer.status, answer.text).to.equal(201);
		await sessionReaches(platform.client(), answer.body.id, reaches);
		return answer.body.id;
	}

	/** Starts it again, and returns its warnings when it runs. */
	async function startedAgain(id: string): Promise<readonly string[]> {
		await platform.client().post(`/sessions/${id}/start`);
		await sessionReaches(platform.client(), id, "running");
		return (await platform.client().get<Session>(`/sessions/${id}`)).body.warnings ?? [];
	}

	async function stop(id: string): Promise<void> {
		await platform.client().post(`/sessions/${id}/stop`);
		await sessionReaches(platform.client(), id, "stopped");
	}

	const sources = {
		"with-a-repository": () => ({
			source: { type: "git", repo: fileUrl(makeRepository(join(folder, "repository"))) },
		}),
		"without-one": () => ({}),
	};
	for (const [kind, body] of Object.entries(sources))
		it(`warns of it, ${kind}, once they were lost and not before`, async () => {
			const id = await created(kind, "running", body());
			await ask(platform.client(), id, "$ echo mine > mine.txt");
			await stop(id);
			expect(await startedAgain(id)).to.deep.equal([]);
			await stop(id);
			rmSync(platform.workspace(id), { recursive: true });
			const warnings = await startedAgain(id);
			expect(warnings).to.have.length(1);
			expect(warnings[0]).to.match(lost);
			expect(existsSync(join(platform.workspace(id), "mine.txt"))).to.equal(false);
			await stop(id);
			expect(await startedAgain(id), "the files of that launch are there").to.deep.equal([]);
		});

	it("does not warn after launches of which none was ready", async () => {
		const repository = makeRepository(join(folder, "failing"));
		const source = { type: "git", repo: fileUrl(repository), branch: "later" };
		const id = await created("failing", "failed", { source });
		git(repository, ["branch", "later"]);
		expect(await startedAgain(id)).to.deep.equal([]);
	});
});
