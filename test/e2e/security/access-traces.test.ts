/**
 * One person does everything that the API offers: the streams of others stay empty, and no secret or text of that person
 * stands in the platform's log.
 * Long: it takes every operation with a session that runs.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plantCanaries } from "../../support/access/canaries.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import { configuredMcpServers } from "../../support/conformance/settings-scenario.ts";
import { walkEverything } from "../../support/conformance/session-scenario.ts";
import { WalkedServers } from "../../support/conformance/walked-servers.ts";
import { sendWith, Walker } from "../../support/conformance/walker.ts";
import { WireContract } from "../../support/conformance/wire-contract.ts";
import { sameDay } from "../../support/machine/same-day.ts";
import { createSession } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { fileUrl, makeRepository } from "../../support/repositories/git-repository.ts";

/** The scenario of the conformance walker is that of the developer. */
const users = [
	{ token: "canary-token-alice", id: "dev-user", tenant: "default", roles: ["admin", "developer"] },
	{ token: "canary-token-bob", id: "bob", tenant: "default", roles: ["developer"] },
	{ token: "canary-token-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

function bearer(name: string): Record<string, string> {
	return { authorization: `Bearer canary-token-${name}` };
}

const noSessions = '"active_sessions":0,"total_sessions":0,"tokens_today":0';

describe("a person who does everything", function () {
	this.timeout(240_000);
	let folder: string;
	let servers: WalkedServers;
	let platform: TestPlatform;
	const streams = new Map<string, SseClient>();
	let canaries: readonly string[];

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-traces-"));
		servers = await WalkedServers.start();
		platform = await startPlatform({
			env: sameDay(),
			config: {
				...servers.config,
				identity: { kwargs: { users } },
				auth_discovery: { issuer: "http://127.0.0.1:9/realms/none" },
				mcp_servers: configuredMcpServers,
			},
		});
		for (const name of ["bob", "carol"]) streams.set(name, await platform.events({ headers: bearer(name) }));
		canaries = await plantCanaries(platform.client(bearer("alice")));
		const send = sendWith(new ApiClient(platform.url, bearer("alice")));
		await walkEverything(new Walker(new WireContract(), send), fileUrl(makeRepository(join(folder, "repository"))));
	});

	after(async () => {
		for (const stream of streams.values()) await stream.close();
		await platform?.[Symbol.asyncDispose]();
		await servers?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	for (const name of ["bob", "carol"]) {
		it(`sends no event to ${name}, who gets the own ones`, async () => {
			const stream = streams.get(name);
			const before = stream?.events.filter(({ event }) => event !== "heartbeat") ?? [];
			// A stream may have had its own statistics by now, which count none of alice's sessions.
			expect(before.filter(({ event, data }) => event !== "stats_updated" || !data.includes(noSessions))).to.deep.equal(
				[],
			);
			const { id } = await createSession(platform.client(bearer(name)));
			await stream?.event(({ data }) => data.includes(id));
		});
	}

	it("leaves no canary in the platform's log", () => {
		const all = [...canaries, ...users.map(({ token }) => token)];
		expect(all).to.have.length.above(39);
		expect(platform.output).to.include("Atelier listens on");
		expect(all.filter((canary) => platform.output.includes(canary))).to.deep.equal([]);
	});
});
