import { expect } from "chai";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chatEndpointAt } from "#services/sessions/record/chat-endpoint.ts";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { chatAddressCollection, moveChats } from "#services/sessions/record/moved-chats.ts";
import { SessionClaims } from "#services/sessions/work/session-claims.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { loadConfig } from "#shared/config/config.ts";
import type { ObservedPhase } from "#shared/contracts/sessions/session-work.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { seen } from "../../../support/platform/session-actor.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { alice } from "../../../support/bus/test-brokers.ts";
import { sessionCreate } from "../../../support/platform/session-record.ts";
import { workspacesOver } from "../../../support/workspaces/test-workspaces.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";

const old = loadConfig({}).gateway;
const present = { ...old, port: 9090 };

describe("moveChats()", () => {
	let folder: string;
	let store: EmbeddedStore;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "atelier-moved-"));
		store = new EmbeddedStore({ folder });
		await store.open([sessionCollection, workspaceCollection, idempotencyRecordCollection, chatAddressCollection]);
	});
	afterEach(async () => {
		await store.close();
		await rm(folder, { recursive: true });
	});

	function recordsAt(gateway: typeof old): SessionRecords {
		return new SessionRecords(store, () => {}, chatEndpointAt(gateway));
	}

	/** A session of which one pass has seen `phase`. */
	async function session(records: SessionRecords, phase: ObservedPhase): Promise<string> {
		const claims = new SessionClaims(store, {
			records,
			workspaces: workspacesOver(store),
			hint: () => {},
			launches: { changed() {} },
			forget: async () => {},
		});
		await commandsOver(records, store).create({ principal: alice }, { request: sessionCreate() });
		const [claim] = await claims.claim(1);
		if (!claim) return expect.fail("nothing to claim");
		await claims.report({ ...claim, observed: seen(phase), due_in_ms: 60_000 });
		return claim.id;
	}

	async function told(ids: readonly string[]) {
		const read = ids.map((id) => recordsAt(present).get(alice, id));
		return (await Promise.all(read)).map(({ session: { chat_endpoint, rev } }) => [chat_endpoint, rev]);
	}

	it("updates the addresses of existing chats, once", async () => {
		const phases = ["launching", "ready", "failed", "blocked"] as const;
		const ids: string[] = [];
		for (const phase of phases) ids.push(await session(recordsAt(old), phase));
		const [launching, ready] = ids;
		const address = (port: number, id = "") => `ws://127.0.0.1:${port}/s/${id}/session`;
		const others = [
			[null, 2],
			[null, 1],
		];
		expect(await told(ids)).to.deep.equal([[address(8080, launching), 2], [address(8080, ready), 2], ...others]);

		await moveChats(store, recordsAt(present), present);
		const moved = [[address(9090, launching), 3], [address(9090, ready), 3], ...others];
		expect(await told(ids)).to.deep.equal(moved);
		await moveChats(store, recordsAt(present), present);
		expect(await told(ids), "again").to.deep.equal(moved);

		await moveChats(store, recordsAt(old), old);
		expect(await told(ids), "and back").to.deep.equal([
			[address(8080, launching), 4],
			[address(8080, ready), 4],
			...others,
		]);
	});

	it("changes nothing while the address is unknown", async () => {
		const id = await session(recordsAt(old), "ready");
		const unknown = { ...old, port: 0 };
		await moveChats(store, recordsAt(unknown), unknown);
		expect(await told([id])).to.deep.equal([[null, 3]]);
	});
});
