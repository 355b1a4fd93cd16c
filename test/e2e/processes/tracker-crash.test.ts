/**
 * kill -9 around mappings and moves of issues: what was acknowledged is there, and no move is lost or made twice.
 * Long: it kills and starts the platform four times.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { SessionIssues } from "#shared/contracts/tracker/issues.ts";
import type { Mapping } from "#shared/contracts/tracker/mappings.ts";
import { eventually } from "../../support/eventually.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { startLinearFake } from "../../support/providers/linear/linear-fake.ts";
import { fileUrl, makeRepository } from "../../support/repositories/git-repository.ts";

describe("kill -9 around the tracker", function () {
	this.timeout(240_000);
	let folder: string;

	before(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-tracker-crash-"));
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	it("loses no mapping and no move, and makes none twice", async () => {
		const repo = fileUrl(makeRepository(join(folder, "repository")));
		await using fake = await startLinearFake();
		for (const identifier of ["ENG-1", "ENG-2"]) fake.add({ identifier, title: identifier });
		const linear = { enabled: true, api_key: "lin_api_ada", api_url: fake.url };
		await using platform = await startPlatform({ config: { linear } });
		const api = platform.client();
		const map = (repo_url: string) =>
			api.post<Mapping>("/tracker/mappings", { repo_url, project_id: "ENG", on_start: "In Progress" });
		const mapped = async () => (await api.get<Mapping[]>("/tracker/mappings")).body.map(({ repo_url }) => repo_url);
		expect((await map(repo)).status).to.equal(201);
		await platform.kill();

		const dying = async (failpoint: string) => {
			const started = platform.startProcess([], { ATELIER_FAILPOINTS: `${failpoint}=kill` });
			platform.processes = [started];
			await platform.ready();
			return started;
		};
		const first = await dying("mappings.written");
		expect(await mapped(), "acknowledged before a kill").to.deep.equal([repo]);
		expect(await map("https://git.example/org/late").catch(() => "no answer")).to.equal("no answer");
		await first.ended();

		const done = async (count: number) => {
			const ids = (await api.get<Session[]>("/sessions")).body.map(({ id }) => id);
			expect(ids).to.have.length(count);
			for (const id of ids) {
				const moves = await eventually(
					async () => {
						const read = (await api.get<SessionIssues>(`/sessions/${id}/issues`)).body.moves;
						return read[0]?.state === "done" && read;
					},
					{ withinMs: 60_000, what: `the move of session ${id} is done` },
				);
				expect(moves).to.have.length(1);
			}
		};
		// The first one dies when it has read the event and noted nothing, the second one before the move counts as made.
		for (const [place, failpoint] of ["issue-moves.read", "issue-moves.moved"].entries()) {
			const one = await dying(failpoint);
			const body = {
				name: `crash-${place}`,
				source: { type: "git", repo, branch: "main" },
				issue_id: `ENG-${place + 1}`,
			};
			// It may die before its answer; the session is there in any case.
			await api.post<Session>("/sessions", body).catch(() => undefined);
			await one.ended(60_000);
			await platform.start();
			await done(place + 1);
			await platform.kill();
		}
		await platform.start();
		expect(await mapped()).to.include(repo);
		for (const identifier of ["ENG-1", "ENG-2"]) expect(fake.stateOf(identifier)).to.equal("In Progress");
		expect(fake.operations.filter((operation) => operation === "Update")).to.have.length(2);
	});
});
