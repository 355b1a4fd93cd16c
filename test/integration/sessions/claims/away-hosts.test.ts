/** Sessions whose host is away: they say so, and do not stay in a passing status. */
import { expect } from "chai";
import type { SessionCommands } from "#services/sessions/commands/session-commands.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { AwayHosts } from "#services/sessions/claims/away-hosts.ts";
import { SessionClaims } from "#services/sessions/claims/session-claims.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";
import { textOf } from "#shared/base/schema/json-text.ts";
import { turnClock } from "#shared/base/clock.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { alice, root } from "../../../support/bus/test-brokers.ts";
import { seen } from "../../../support/platform/session-actor.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { sessionCreate } from "../../../support/platform/session-record.ts";
import { openEmbedded } from "../../../support/stores/open-stores.ts";
import { workspacesOver } from "../../../support/workspaces/test-workspaces.ts";

const host = "a".repeat(16);

describe("AwayHosts", () => {
	let opened: StoreUnderTest;
	let records: SessionRecords;
	let commands: SessionCommands;
	let claims: SessionClaims;
	let away: AwayHosts;
	let hosts: Set<string>;
	let failures: string[];
	let ahead: number;
	let turnBack: () => void;

	beforeEach(async () => {
		opened = await openEmbedded([sessionCollection, workspaceCollection]);
		const { store } = opened;
		hosts = new Set([host]);
		failures = [];
		ahead = 0;
		turnBack = turnClock({ now: () => Date.now() + ahead, monotonic: () => performance.now() + ahead });
		const changed = (before: string, { status }: Session) => {
			if (status === "failed" && before !== status) failures.push(before);
		};
		records = new SessionRecords(store, () => {}, { changed });
		commands = commandsOver(records, store);
		const workspaces = workspacesOver(store);
		claims = new SessionClaims(store, { records, workspaces, hint: () => {}, forget: async () => {} });
		away = new AwayHosts({ store, records, processes: { hosts: async () => hosts } });
	});
	afterEach(async () => {
		turnBack();
		await opened.discard();
	});

	const session = async (id: string) => (await records.get(alice, id)).session;
	const reason = async (id: string) => (await session(id)).status_reason?.code;

	async function running(): Promise<string> {
		const made = await commands.create({ principal: alice }, { request: sessionCreate() });
		const { id } = JSON.parse(textOf(made)) as { id: string };
		await pass(id, "ready");
		return id;
	}

	async function pass(id: string, phase: "ready" | "absent"): Promise<void> {
		const [claim] = await claims.claim(1, [id], { host });
		await claims.report({ ...(claim ?? expect.fail("no claim")), observed: seen(phase), due_in_ms: 0 });
	}

	/** Looks after this time, with the hosts as they are. */
	async function lookAfter(ms: number): Promise<void> {
		ahead += ms;
		await away.look();
	}

	it("tells of running sessions while the host is away, and not of a restart", async () => {
		const id = await running();
		await lookAfter(31_000);
		hosts.clear();
		await lookAfter(20_000);
		expect(await reason(id), "a restart").to.equal("POD_READY");
		await lookAfter(11_000);
		expect(await session(id)).to.have.property("status", "running");
		expect(await reason(id)).to.equal("HOST_AWAY");
		const { rev } = await session(id);
		await lookAfter(5_000);
		expect((await session(id)).rev, "told once").to.equal(rev);
		hosts.add(host);
		await lookAfter(5_000);
		expect(await reason(id)).to.equal("POD_READY");
	});

	for (const [command, until] of [
		["start", 61_000],
		["stop", 121_000],
	] as const)
		it(`ends the status after ${command} at its time limit, and says before what it waits for`, async () => {
			const id = await running();
			if (command === "start") {
				await commands.run({ principal: alice }, "stop", id);
				await pass(id, "absent");
			}
			hosts.clear();
			await lookAfter(31_000);
			const { status } = await commands.run({ principal: alice }, command, id);
			await lookAfter(1_000);
			expect(await session(id)).to.have.property("status", status);
			expect(await reason(id)).to.equal("HOST_AWAY");
			expect((await session(id)).status_reason?.deadline).to.not.equal(null);
			await lookAfter(until);
			expect(await session(id)).to.have.property("status", "failed");
			expect(await reason(id)).to.equal("HOST_AWAY");
			expect(failures).to.deep.equal([status]);
			// The host has what to do when it is back.
			expect(await claims.claim(1, undefined, { host })).to.have.length(1);
		});

	for (const principal of [alice, root])
		it(`does not keep ${principal.id} from deleting a session, whatever it waits for`, async () => {
			const id = await running();
			hosts.clear();
			await commands.run({ principal: alice }, "stop", id);
			await lookAfter(31_000);
			await commands.run({ principal }, "delete", id);
			await lookAfter(5_000);
			expect(await failureOf(records.get(alice, id))).to.have.property("code", 404);
			expect((await opened.store.get(sessionCollection, id))?.desired).to.equal("purge");
		});

	it("leaves sessions of other hosts and of none alone", async () => {
		const id = await running();
		const made = await commands.create({ principal: alice }, { request: sessionCreate() });
		const { id: waiting } = JSON.parse(textOf(made)) as { id: string };
		await lookAfter(31_000);
		await lookAfter(31_000);
		expect(await reason(id)).to.equal("POD_READY");
		expect(await reason(waiting)).to.equal("LAUNCH_REQUESTED");
	});
});
