/** The transaction of a creation in the embedded store. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";
import { ConflictError } from "#shared/base/errors.ts";
import { textOf } from "#shared/base/schema/json-text.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { alice } from "../../../support/bus/test-brokers.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { sessionCreate } from "../../../support/platform/session-record.ts";
import { commitsInLog } from "../../../support/stores/write-ahead-log.ts";

describe("a creation in the embedded store", () => {
	let folder: string;
	let store: EmbeddedStore;

	beforeEach(async () => {
		folder = join(mkdtempSync(join(tmpdir(), "atelier-creation-")), "store");
		store = new EmbeddedStore({ folder });
		await store.open([sessionCollection, workspaceCollection, idempotencyRecordCollection]);
	});
	afterEach(async () => {
		await store.close();
		rmSync(join(folder, ".."), { recursive: true });
	});

	/** Creates a session; resolves to its id. */
	async function create(quota = {}): Promise<string> {
		const commands = commandsOver(new SessionRecords(store, () => {}), store, undefined, quota);
		return JSON.parse(textOf(await commands.create({ principal: alice }, { request: sessionCreate() }))).id;
	}

	it("is one transaction with its workspace", async () => {
		await create();
		const before = commitsInLog(folder);
		const id = await create();
		expect(commitsInLog(folder) - before).to.equal(1);
		expect(await store.get(sessionCollection, id)).to.include({ id });
		expect(await store.get(workspaceCollection, id)).to.include({ id, holder: id });
	});

	it("stores no session whose workspace the quota refuses", async () => {
		const id = await create({ count: 1 });
		expect(await failureOf(create({ count: 1 }))).to.be.instanceOf(ConflictError);
		// A later write is made after all that wait.
		await store.remove(sessionCollection, "none", {});
		const all = { equals: [alice.tenant, "active"] };
		const { documents } = await store.find(sessionCollection, "tenant_shelf", all, { limit: 10 });
		expect(documents.map((found) => found.id)).to.deep.equal([id]);
	});
});
