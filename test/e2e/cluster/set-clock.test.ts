/**
 * Somebody sets the clock of a machine by an hour while its processes run: they say that they are not ready, and go on
 * by the right time, so that leases, holds, events and sessions stay right.
 * Night: it starts a cluster.
 */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import type { ClusterMember } from "../../support/cluster/cluster-member.ts";
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import { eventually } from "../../support/eventually.ts";
import { MovableClock } from "../../support/machine/movable-clock.ts";
import { createSession, runningSession, sessionReaches } from "../../support/platform/session-steps.ts";

const hourMs = 3_600_000;
/** It has a price (config/models.yaml), so a turn needs a reservation. */
const model = "claude-sonnet-4-6";

describe("a process whose clock is set while it runs", function () {
	this.timeout(300_000);
	let folder: string;
	let cluster: Cluster;
	let clock: MovableClock;
	let api: ApiClient;
	let told: SseClient;
	let moved: ClusterMember;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-set-clock-"));
		clock = new MovableClock(folder);
		cluster = await startCluster({ gateways: 1, podManagers: 1 });
		api = cluster.client();
		moved = cluster.member("core-2");
		await moved.stop();
		await moved.start(clock.env);
		// The one whose clock is set moves the events, because the other one starts after it.
		const other = cluster.member("core-1");
		await other.stop();
		await eventually(async () => (await leads(moved)) === 1, { what: "core-2 moves the events" });
		await other.start();
		told = await cluster.events();
	});
	afterEach(function () {
		if (this.currentTest?.state === "failed") console.log(cluster?.lastLines());
	});
	after(async () => {
		await told?.close();
		await cluster?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	const metricsOf = async ({ opsUrl }: ClusterMember) => (await fetch(`${opsUrl}/metrics`)).text();

	/** Returns how many leases of the relay a process has. */
	const leads = async (member: ClusterMember) =>
		[...(await metricsOf(member)).matchAll(/^atelier_leases_held\{name="relay-[^"]*"\} 1$/gm)].length;

	/** Returns how many updates of sessions a process has done. */
	const updates = async (member: ClusterMember) =>
		Number(
			/^atelier_bus_call_seconds_count\{action="sessions.update"\} (\d+)/m.exec(await metricsOf(member))?.[1] ?? 0,
		);

	/** Returns the sentences of `/ready`. */
	const readiness = async ({ opsUrl }: ClusterMember) => (await fetch(`${opsUrl}/ready`)).text();

	/** Asks for so much that two of them do not fit into the limit. */
	async function granted(session: string, reservation: string): Promise<boolean> {
		const token = openInstallationKey(cluster.platform.dataDir, "").podToken(session, 1);
		const pod = new ApiClient(cluster.prefixOf(), { authorization: `Bearer ${token}` });
		const asked = { reservation_id: reservation, model, calls: [{ model, input_tokens: 100_000, output_tokens: 10 }] };
		const { status, text, body } = await pod.post<{ granted: boolean }>(`/sessions/${session}/reservations`, asked);
		expect(status, text).to.be.lessThan(300);
		return body.granted;
	}

	for (const stepMs of [hourMs, -hourMs])
		it(`by ${stepMs / 60_000} minutes, is not ready, and does its work by the right time`, async () => {
			const { id } = (await api.post<{ id: string }>("/sessions", { name: "held", budget: { limit: 0.4 } })).body;
			await sessionReaches(api, id, "running", 60_000);
			expect(await granted(id, "first")).to.equal(true);
			const waiting = await createSession(api);

			clock.step(moved.process, stepMs);
			const isTold = async () => (await readiness(moved)).includes("The clock of this machine is 3");
			await eventually(isTold, { withinMs: 15_000, what: "core-2 is not ready because of its clock" });
			expect(await cluster.member("core-1").isReady()).to.equal(true);

			await sessionReaches(api, waiting.id, "running", 60_000);
			const done = await updates(moved);
			for (let n = 0; n < 10; n++) {
				expect(await granted(id, randomUUID()), "a hold of the present counts at every process").to.equal(false);
				const { status, text, body } = await api.put<{ updated_at: string }>(`/sessions/${id}`, { name: `name-${n}` });
				expect(status, text).to.equal(200);
				expect(Date.parse(body.updated_at)).to.be.closeTo(Date.now(), 5_000);
				const counts = await Promise.all(cluster.membersOf("core").map(leads));
				expect(counts.reduce((sum, count) => sum + count)).to.equal(1);
			}
			expect(await updates(moved), "it goes on serving").to.be.greaterThan(done);
			const started = await runningSession(api);
			await told.event(
				({ event, data }) => event === "session_updated" && data.includes(started.id) && data.includes("POD_READY"),
			);
			await api.post(`/sessions/${started.id}/stop`);
			await sessionReaches(api, started.id, "stopped", 60_000);

			clock.step(moved.process, 0);
			await eventually(() => moved.isReady(), { withinMs: 30_000, what: "core-2 is ready again" });
			for (const one of [id, waiting.id]) await sessionReaches(api, one, "running");
		});
});
