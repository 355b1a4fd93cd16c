/** How sessions are stored: the text clients see, and the columns the platform works with. */
import { defineCollection, type Document } from "#shared/store/collection.ts";
import { accountColumns } from "./account.ts";

export const sessionCollection = defineCollection(
	"sessions",
	{
		tenant: "text",
		owner: "text",
		/** active, archived or deleted: which lists it is in. */
		shelf: "text",
		/** As on the wire, or `deleted` for a tombstone. */
		status: "text",
		created_at: "text",
		/** Grows with every change a client can see; also numbers the events of the session. */
		rev: "integer",
		/** Counts launches. */
		generation: "integer",
		/** run, stop or purge: what its pods should be. */
		desired: "text",
		/** When a pass is wanted, milliseconds since 1970; absent: nothing is left to do. */
		due_at: "integer",
		/** Until when the pass under way may write; absent: none is under way. */
		lease_until: "integer",
		/** Counts claims; only the newest may report. */
		fence: "integer",
		/** `rev` at the claim: a report that finds another one leaves the session due. */
		claimed_rev: "integer",
		/** First claim of the present launch. */
		claimed_at: "integer",
		/** Claims since the last command. */
		attempts: "integer",
		/** When the platform gives the present status up. */
		deadline_at: "integer",
		/** Until when its launch counts among those of its owner that start (launch-places.ts). */
		place_until: "integer",
		/** 1 once its owner was told that it waits for such a place. */
		waiting_reported: "integer",
		/** LaunchSettings (shared/pod/launch.ts). */
		launch: "json",
		/** Base URL of the session agent while there is a pod. */
		address: "text",
		/** The chronicle it was reforged from. */
		parent_chronicle: "text",
		/** Of a tombstone: `remove` when the chronicles of the session are removed with it; absent: they are kept. */
		chronicle_policy: "text",
		/** Answers given to commands that carried an Idempotency-Key. */
		answers: "json",
		...accountColumns,
	},
	{
		owner_shelf: { columns: ["tenant", "owner", "shelf", "created_at"] },
		owner_status: { columns: ["tenant", "owner", "status", "created_at"] },
		tenant_shelf: { columns: ["tenant", "shelf", "created_at"] },
		tenant_status: { columns: ["tenant", "status", "created_at"] },
		due: { columns: ["due_at"] },
		place: { columns: ["place_until"] },
		/** Every session, in an order that no change moves. */
		created: { columns: ["created_at"] },
	},
	{ hasOutbox: true },
);

export type SessionDocument = Document<(typeof sessionCollection)["columns"]>;
