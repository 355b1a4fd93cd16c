/**
 * One person starts many sessions. Their concurrent starts are limited, and another person's session does not wait.
 * Long: it starts a crowd of sessions.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { createSession, runningSession, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { startStallingRepository } from "../../support/repositories/stalling-repository.ts";

const crowd = 8;
const users = ["alice", "bob", "carol"].map((id) => ({ token: `token-of-${id}`, id, tenant: id, roles: [] }));

describe("a crowd of starts", function () {
	this.timeout(180_000);
	let platform: TestPlatform;

	before(async () => {
		platform = await startPlatform({ config: { pods: { starting_per_owner: 1 }, identity: { kwargs: { users } } } });
	});
	after(() => platform?.[Symbol.asyncDispose]());

	function clientOf(id: string): ApiClient {
		return platform.client({ authorization: `Bearer token-of-${id}` });
	}

	async function sessionsOf(api: ApiClient): Promise<SessionView[]> {
		return (await api.get<SessionView[]>("/sessions")).body;
	}

	it("does not delay another person's session; the sessions of the crowd say what they wait for, and all of them start", async () => {
		const [alice, bob] = [clientOf("alice"), clientOf("bob")];
		await Promise.all(Array.from({ length: crowd }, () => createSession(alice)));
		await runningSession(bob);
		const waiting = (await sessionsOf(alice)).filter(({ status }) => status === "starting");
		expect(waiting).to.have.length.of.at.least(crowd / 2);
		const told = async () =>
			(await sessionsOf(alice)).find(({ status_reason }) => status_reason?.code === "LAUNCH_WAITS");
		expect((await eventually(told)).status_reason?.message).to.include("waits for its turn: 1 ");
		const allRun = async () => (await sessionsOf(alice)).every(({ status }) => status === "running");
		await eventually(allRun, { withinMs: 120_000, everyMs: 100, what: "all of the crowd run" });
	});

	it("delays no later session because of repositories that do not answer", async () => {
		const carol = clientOf("carol");
		const folder = mkdtempSync(join(tmpdir(), "atelier-crowd-"));
		await using repository = await startStallingRepository(folder);
		await Promise.all(Array.from({ length: 3 }, () => createSession(carol, repository.url)));
		await runningSession(carol);
		expect((await sessionsOf(carol)).filter(({ status }) => status === "provisioning")).to.have.length(3);
		rmSync(folder, { recursive: true, force: true });
	});
});
