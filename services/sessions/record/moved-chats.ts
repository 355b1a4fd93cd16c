/**
 * Updates the addresses of chats. Sessions store the gateway's address in their chat endpoint. A platform that starts
 * at another address updates all of them once; the address that they all have is stored, so that other starts read no
 * sessions.
 */
import { systemPrincipal } from "#shared/base/principal.ts";
import { now } from "#shared/base/clock.ts";
import type { Config } from "#shared/config/config.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { defineCollection } from "#shared/store/collection.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { chatBase, chatEndpointAt, hasChat } from "./chat-endpoint.ts";
import type { SessionChange, SessionRecord } from "./session-change.ts";
import { sessionCollection } from "./session-collection.ts";
import type { StoredStatus } from "./session-lifecycle.ts";
import type { SessionRecords } from "./session-records.ts";

/** The stored address of the gateway in the chat endpoints of all sessions: one document, `gateway`. */
export const chatAddressCollection = defineCollection("chat_address", { base: "text" }, {});

const known = "gateway";
const pageSize = 500;
const mover = systemPrincipal("moved-chats");

/** Resolves when every session with a chat has the present address. */
export async function moveChats(
	store: Documents,
	records: Pick<SessionRecords, "change">,
	gateway: Config["gateway"],
): Promise<void> {
	const base = chatBase(gateway) ?? "";
	if ((await store.get(chatAddressCollection, known))?.base === base) return;
	const endpoint = chatEndpointAt(gateway);
	const decide = ({ session }: SessionRecord): SessionChange | undefined =>
		session.chat_endpoint === endpoint(session)
			? undefined
			: { at: now(), members: {}, columns: {}, event: "session_updated" };
	for await (const id of sessionsWithChat(store)) await records.change(mover, id, decide).catch(unlessGone);
	await keep(store, base);
}

async function* sessionsWithChat(store: Documents): AsyncGenerator<string> {
	const every = { equals: [], limit: pageSize, columns: ["status"] } as const;
	for await (const page of readPages(store, sessionCollection, "created", every))
		for (const { id, status } of page) if (hasChat(status as StoredStatus)) yield id;
}

/** Stores the address; another process may store it at the same time. */
async function keep(store: Documents, base: string): Promise<void> {
	if (await store.update(chatAddressCollection, known, {}, { set: { base } })) return;
	await insertOnce(() => store.insert(chatAddressCollection, { id: known, wire: "{}", base }));
}

function unlessGone(error: unknown): undefined {
	if (!(error instanceof NotFoundError)) throw error;
}
