/** Claims of sessions whose owners are no members any more. */
import { expect } from "chai";
import type { SessionCommands } from "#services/sessions/commands/session-commands.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { SessionClaims } from "#services/sessions/claims/session-claims.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";
import { textOf } from "#shared/base/schema/json-text.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { alice, bob } from "../../../support/bus/test-brokers.ts";
import { seen } from "../../../support/platform/session-actor.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { sessionCreate } from "../../../support/platform/session-record.ts";
import { openEmbedded } from "../../../support/stores/open-stores.ts";
import { workspacesOver } from "../../../support/workspaces/test-workspaces.ts";

describe("SessionClaims of departed owners", () => {
	let opened: StoreUnderTest;
	let records: SessionRecords;
	let commands: SessionCommands;
	let claims: SessionClaims;
	let gone: string[];
	let isAway: boolean;

	beforeEach(async () => {
		opened = await openEmbedded([sessionCollection, workspaceCollection]);
		const { store } = opened;
		[gone, isAway] = [[], false];
		records = new SessionRecords(store, () => {});
		commands = commandsOver(records, store);
		claims = new SessionClaims(store, {
			records,
			workspaces: workspacesOver(store),
			hint: () => {},
			forget: async () => {},
			departed: {
				async among() {
					if (isAway) throw new Error("away");
					return ({ owner = "" }) => gone.includes(owner);
				},
			},
		});
	});
	afterEach(() => opened.discard());

	async function created(principal: typeof alice): Promise<string> {
		const { id } = JSON.parse(textOf(await commands.create({ principal }, { request: sessionCreate() }))) as {
			id: string;
		};
		return id;
	}

	async function running(principal: typeof alice): Promise<string> {
		const id = await created(principal);
		const [claim] = await claims.claim(1, [id]);
		await claims.report({ ...(claim ?? expect.fail("no claim")), observed: seen("ready"), due_in_ms: 0 });
		return id;
	}

	const stateOf = async (principal: typeof alice, id: string) => {
		const { status, status_reason } = (await records.get(principal, id)).session;
		return [status, status_reason?.code];
	};

	it("fail what waits and what runs, so that pods end, and leave the sessions of others alone", async () => {
		const [hers, runs, waits] = [await running(alice), await running(bob), await created(bob)];
		gone = [bob.id];
		const taken = await claims.claim(10, [hers, runs, waits]);
		const desired = new Map(taken.map((claim) => [claim.id, claim.desired]));
		expect([hers, runs, waits].map((id) => desired.get(id))).to.deep.equal(["run", "stop", "stop"]);
		for (const id of [runs, waits]) expect(await stateOf(bob, id)).to.deep.equal(["failed", "OWNER_GONE"]);
		expect((await stateOf(alice, hers))[0]).to.equal("running");
		gone = [];
		await commands.run({ principal: bob }, "start", waits);
		expect((await stateOf(bob, waits))[0], "somebody who is added again starts it again").to.equal("starting");
	});

	it("start nothing while nobody can tell, and let run what runs", async () => {
		const [runs, waits] = [await running(bob), await created(bob)];
		isAway = true;
		expect((await claims.claim(10, [runs, waits])).map(({ id, desired }) => [id, desired])).to.deep.equal([
			[runs, "run"],
		]);
		expect((await stateOf(bob, waits))[0]).to.equal("starting");
		isAway = false;
		expect((await claims.claim(10, [waits])).map(({ id }) => id)).to.deep.equal([waits]);
	});
});
