/** The chats of sessions have the address of the gateway that the configuration says, whichever one they began at. */
import { expect } from "chai";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChatAddresses } from "#services/sessions/record/chat-endpoint.ts";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { SessionClaims } from "#services/sessions/claims/session-claims.ts";
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

describe("a gateway that has moved", () => {
	let folder: string;
	let store: EmbeddedStore;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "atelier-moved-"));
		store = new EmbeddedStore({ folder });
		await store.open([sessionCollection, workspaceCollection, idempotencyRecordCollection]);
	});
	afterEach(async () => {
		await store.close();
		await rm(folder, { recursive: true });
	});

	function recordsAt(gateway: typeof old): SessionRecords {
		return new SessionRecords(store, () => {}, { chats: new ChatAddresses(gateway) });
	}

	/** A session of which one pass has seen `phase`. */
	async function session(records: SessionRecords, phase: ObservedPhase): Promise<string> {
		const claims = new SessionClaims(store, {
			records,
			workspaces: workspacesOver(store),
			hint: () => {},
			forget: async () => {},
		});
		await commandsOver(records, store).create({ principal: alice }, { request: sessionCreate() });
		const [claim] = await claims.claim(1);
		if (!claim) return expect.fail("nothing to claim");
		await claims.report({ ...claim, observed: seen(phase), due_in_ms: 60_000 });
		return claim.id;
	}

	/** The addresses that all ways tell: one session, its text and the list. */
	async function told(gateway: typeof old, ids: readonly string[]) {
		const records = recordsAt(gateway);
		const { documents } = await records.pages(alice, { by: { shelf: "active" }, limit: 50 }).page();
		return Promise.all(
			ids.map(async (id) => {
				const listed = JSON.parse(documents.find((one) => one.id === id)?.wire ?? "").chat_endpoint;
				const { session } = await records.get(alice, id);
				const texts = [session.chat_endpoint, JSON.parse(await records.text(alice, id)).chat_endpoint, listed];
				expect(new Set(texts).size, texts.join()).to.equal(1);
				return [listed, session.rev];
			}),
		);
	}

	it("is where all chats are, without a change of the sessions", async () => {
		const phases = ["launching", "ready", "failed", "blocked"] as const;
		const ids: string[] = [];
		for (const phase of phases) ids.push(await session(recordsAt(old), phase));
		const [launching, ready] = ids;
		const address = (port: number, id = "") => `ws://127.0.0.1:${port}/s/${id}/session`;
		const others = [
			[null, 2],
			[null, 1],
		];
		const at = (port: number) => [[address(port, launching), 2], [address(port, ready), 2], ...others];
		expect(await told(old, ids)).to.deep.equal(at(8080));
		expect(await told(present, ids)).to.deep.equal(at(9090));
	});

	it("is told in events and in answers to changes", async () => {
		const id = await session(recordsAt(old), "ready");
		const rename = () =>
			({ at: Date.now(), members: { name: "moved" }, columns: {}, event: "session_updated" }) as const;
		const { session: after, document } = await recordsAt(present).change(alice, id, rename);
		const [waiting] = (await store.outbox(sessionCollection, 50)).filter((one) => one.id === id);
		const event = waiting?.entries.at(-1)?.data ?? "";
		for (const { chat_endpoint } of [after, JSON.parse(document.wire), JSON.parse(event)])
			expect(chat_endpoint).to.equal(`ws://127.0.0.1:9090/s/${id}/session`);
	});

	it("has no chats while its address is unknown", async () => {
		const id = await session(recordsAt(old), "ready");
		expect(await told({ ...old, port: 0 }, [id])).to.deep.equal([[null, 2]]);
	});
});
