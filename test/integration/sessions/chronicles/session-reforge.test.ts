/** Sessions that are made from a chronicle: what they take over, for its owner and for an administrator. */
import { expect } from "chai";
import type { ChronicleDocument } from "#services/sessions/chronicles/chronicle-collections.ts";
import { SessionReforge } from "#services/sessions/chronicles/session-reforge.ts";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { IdempotencyRecords } from "#services/sessions/commands/idempotency-records.ts";
import { SessionCreations } from "#services/sessions/commands/session-creations.ts";
import { sessionRules } from "#services/sessions/commands/session-rules.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";
import type { Principal } from "#shared/base/principal.ts";
import { loadConfig } from "#shared/config/config.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import type { LaunchSettings, McpServer } from "#shared/wire/pod/launch.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { alice, root } from "../../../support/bus/test-brokers.ts";
import { launchSettings } from "../../../support/pods/memory-pods.ts";
import { openEmbedded } from "../../../support/stores/open-stores.ts";
import { workspacesOver } from "../../../support/workspaces/test-workspaces.ts";

const repository = { url: "https://git.example/shop", branch: "main", base_branch: "", path: "" };
const server: McpServer = {
	name: "s",
	type: "stdio",
	command: "sh",
	args: [],
	env: { KEY: "canary" },
	url: "",
	headers: {},
};
/** The settings of a session of Alice, whose profile has secrets and programs. */
const launch: LaunchSettings = {
	...launchSettings,
	repositories: [repository],
	env: { TOKEN: "canary" },
	mcp_servers: [server],
	setup_scripts: ["echo canary"],
	system_prompt: "canary",
	credential_names: ["canary"],
};

describe("SessionReforge", () => {
	let opened: StoreUnderTest;
	let reforge: SessionReforge;

	beforeEach(async () => {
		opened = await openEmbedded([sessionCollection, workspaceCollection, idempotencyRecordCollection]);
		const { store } = opened;
		const records = new SessionRecords(store, () => {});
		const creations = new SessionCreations(records, new IdempotencyRecords(store), workspacesOver(store));
		const rules = sessionRules(
			{ config: loadConfig({}), trustsCallers: true },
			readModelCatalogue("config/models.yaml"),
		);
		reforge = new SessionReforge(creations, rules);
	});
	afterEach(() => opened.discard());

	async function reforgedBy(principal: Principal): Promise<LaunchSettings> {
		const wire = JSON.stringify({ repo: repository.url, branch: "main", config_snapshot: { name: "shop" } });
		const chronicle: ChronicleDocument = { id: "c", wire, tenant: alice.tenant, owner: alice.id, launch };
		const { id, owner_id } = await reforge.reforge({ principal }, chronicle);
		expect(owner_id).to.equal(principal.id);
		return (await opened.store.get(sessionCollection, id))?.launch as LaunchSettings;
	}

	it("takes over all settings for the owner", async () => {
		const { name, ...settings } = await reforgedBy(alice);
		expect(name).to.equal("shop-reforged");
		const { name: _name, git_protocols: _protocols, ...recorded } = launch;
		expect(settings).to.deep.include(recorded);
	});

	it("takes over neither secrets nor programs of somebody else for an administrator", async () => {
		const settings = await reforgedBy(root);
		expect(JSON.stringify(settings)).to.not.contain("canary");
		expect(settings.repositories).to.deep.equal([repository]);
		expect(settings).to.deep.include({ agent: launch.agent, permission_mode: launch.permission_mode });
	});
});
