/** The sessions that a deleted credential concerns: those that name it, and those that got it by a connection. */
import { expect } from "chai";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { sessionsWithCredential } from "#services/sessions/claims/credential-users.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { NamingConnection } from "#shared/contracts/integrations/connections.ts";
import type { SessionCreate } from "#shared/contracts/sessions/session-resource.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { alice, bob } from "../../../support/bus/test-brokers.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { sessionCreate } from "../../../support/platform/session-record.ts";
import { openEmbedded } from "../../../support/stores/open-stores.ts";

describe("sessionsWithCredential()", () => {
	let opened: StoreUnderTest;

	beforeEach(async () => {
		opened = await openEmbedded([sessionCollection, workspaceCollection]);
		const commands = commandsOver(new SessionRecords(opened.store, () => {}), opened.store);
		const create = (principal: Principal, name: string, more: Partial<SessionCreate>) =>
			commands.create({ principal }, { request: sessionCreate({ name, ...more }) });
		await create(alice, "names-it", { credential_names: ["key"], integration_ids: ["other"] });
		await create(alice, "names-its-connection", { integration_ids: ["one"] });
		await create(alice, "names-another", { integration_ids: ["other"] });
		await create(alice, "names-none", {});
		await create(bob, "bobs", {});
	});
	afterEach(() => opened.discard());

	async function affected(connections: NamingConnection[], owner?: string): Promise<string[]> {
		const sought = { tenant: alice.tenant, credential_name: "key", connections, ...(owner && { owner }) };
		return (await sessionsWithCredential(opened.store, sought)).map(({ name }) => name).toSorted();
	}

	it("are those that name it, whatever connections there are", async () => {
		expect(await affected([], alice.id)).to.deep.equal(["names-it"]);
		const his = { id: "one", owner: bob.id, unnamed: true };
		expect(await affected([his], alice.id), "a connection of somebody else").to.deep.equal(["names-it"]);
	});

	it("are also those that name a connection of it, and those that get all enabled ones", async () => {
		const one = { id: "one", owner: alice.id, unnamed: false };
		expect(await affected([one], alice.id)).to.deep.equal(["names-it", "names-its-connection"]);
		const enabled = { ...one, unnamed: true };
		expect(await affected([enabled], alice.id)).to.deep.equal(["names-it", "names-its-connection", "names-none"]);
	});

	it("are those of everybody for a credential of the tenant", async () => {
		const his = { id: "two", owner: bob.id, unnamed: true };
		expect(await affected([his])).to.deep.equal(["bobs", "names-it"]);
	});
});
