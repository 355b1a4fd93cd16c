/**
 * The commands of one session can change its files in any way without blocking other sessions or the platform's end.
 */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually } from "../../support/eventually.ts";
import { putOdd, releasePipes } from "../../support/hostile/odd-files.ts";
import { ask, runningSession } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

async function ready({ url }: TestPlatform): Promise<{ status: number; text: string }> {
	const answer = await fetch(`${url}/ready`);
	return { status: answer.status, text: await answer.text() };
}

describe("files that nobody should trust", function () {
	this.timeout(120_000);

	it("pipes in the run folders of two sessions block no other session and not the platform's end (H3)", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const poisoned = [await runningSession(api), await runningSession(api), await runningSession(api)];
		const run = ({ id }: { id: string }) => join(platform.dataDir, "run", `${id}-g1`);
		const content = "$ rm -f $HOME/../status.json; mkfifo $HOME/../status.json $HOME/../ending";
		for (const one of poisoned.slice(0, 2)) {
			expect((await api.post(`/sessions/${one.id}/messages`, { content })).status).to.equal(200);
			// The pod counts as ending from then on, and may be gone before it answers.
			const isMade = () => !existsSync(run(one)) || existsSync(join(run(one), "ending"));
			await eventually(isMade, { what: "the pipes are made" });
		}
		const last = poisoned[2] ?? { id: "" };
		for (const name of ["status.json", "ending", "agent.log"])
			await putOdd("a link to a file without an end", join(run(last), name));
		try {
			await eventually(async () => (await ready(platform)).status === 200, { what: "/ready is 200" });
			expect((await api.get("/templates")).status).to.equal(200);
			const { id } = await runningSession(api);
			expect(await ask(api, id, "$ echo works")).to.include("works");
			const areGone = () => !poisoned.some((one) => existsSync(run(one)));
			await eventually(areGone, { withinMs: 60_000, what: "their run folders are gone" });
			await platform.stop();
		} finally {
			releasePipes(platform.dataDir);
		}
	});

	it("when all threads for files are blocked, /ready says so and the process can still end (H3)", async () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-pipe-"));
		const pipe = join(folder, "pipe");
		execFileSync("mkfifo", [pipe]);
		const preload = pathToFileURL(join(projectRoot, "test/support/hostile/block-file-threads.ts"));
		const options = `--import=${preload.href}?${encodeURIComponent(pipe)}`;
		try {
			await using platform = await startPlatform({ env: { NODE_OPTIONS: options } });
			const [main] = platform.processes;
			main?.signal("SIGUSR2");
			const missing = await eventually(
				async () => {
					const { status, text } = await ready(platform);
					return status === 503 && text;
				},
				{ withinMs: 15_000, what: "/ready is 503" },
			);
			expect(missing).to.include("files: ");
			// The second signal ends the platform at once.
			const hasEnded = () => main?.hasEnded || main?.signal("SIGTERM");
			await eventually(hasEnded, { withinMs: 15_000, everyMs: 200, what: "the platform has ended" });
		} finally {
			releasePipes(folder);
			rmSync(folder, { recursive: true });
		}
	});
});
