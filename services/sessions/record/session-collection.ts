/** The collection of sessions: the text that clients see, and the columns that the platform works with. */
import { defineCollection, type Document } from "#shared/store/collection.ts";
import { accountColumns } from "./account.ts";

export const sessionCollection = defineCollection(
	"sessions",
	{
		tenant: "text",
		owner: "text",
		/** The name as in the API; every write sets it. */
		name: "text",
		/** The lists that contain the session: active, archived or deleted. */
		shelf: "text",
		/** The status as in the API, or `deleted` for a tombstone. */
		status: "text",
		created_at: "text",
		/** The revision. It grows with every change that clients can see, and numbers the events of the session. */
		rev: "integer",
		/** The number of the present launch, which grows with each; a restore makes it jump (claims/launch-fence.ts). */
		generation: "integer",
		/** The desired state of its pods: run, stop or purge. */
		desired: "text",
		/** The time at which its launch was requested, in milliseconds since 1970. */
		requested_at: "integer",
		/** The time of the next pass in milliseconds since 1970; absent: nothing remains to be done. */
		due_at: "integer",
		/** The end of the lease of the pass under way; absent: none is under way. */
		lease_until: "integer",
		/** The count of claims; only the newest one may report. */
		fence: "integer",
		/** The revision at the claim: when a report finds another one, the session stays due. */
		claimed_rev: "integer",
		/** The time of the first claim of the present launch. */
		claimed_at: "integer",
		/** The count of claims since the last command. */
		attempts: "integer",
		/** The time at which the platform gives up waiting in the present status. */
		deadline_at: "integer",
		/** The time until which its launch counts among the starting ones of its owner (launch-places.ts). */
		place_until: "integer",
		/** The value 1 after its owner was told that it waits for such a place. */
		waiting_reported: "integer",
		/** The LaunchSettings (shared/wire/pod/launch.ts). */
		launch: "json",
		/** The StoredLevels (commands/launch-levels/profile-change.ts) that the launch was merged from. */
		levels: "json",
		/** The value 1 after a launch was ready for the first time. */
		worked: "integer",
		/** The base URL of the session agent while there is a pod. */
		address: "text",
		/** The chronicle that it was reforged from. */
		parent_chronicle: "text",
		/** The value `remove` in a tombstone whose chronicles are removed with it; absent: they are retained. */
		chronicle_policy: "text",
		/** The workspace that its pods run in. */
		workspace: "text",
		/** The host that its files are on (host-binding.ts); absent: it has none yet, or every pod manager reaches them. */
		host: "text",
		/** The value `remove` in a tombstone whose workspace is removed with it; absent: it is archived. */
		storage_policy: "text",
		/** The answers to commands with an `Idempotency-Key`. */
		answers: "json",
		...accountColumns,
	},
	{
		owner_shelf: { columns: ["tenant", "owner", "shelf", "created_at"] },
		owner_status: { columns: ["tenant", "owner", "status", "created_at"] },
		tenant_shelf: { columns: ["tenant", "shelf", "created_at"] },
		tenant_status: { columns: ["tenant", "status", "created_at"] },
		owner_shelf_name: { columns: ["tenant", "owner", "shelf", "name", "created_at"] },
		owner_status_name: { columns: ["tenant", "owner", "status", "name", "created_at"] },
		tenant_shelf_name: { columns: ["tenant", "shelf", "name", "created_at"] },
		tenant_status_name: { columns: ["tenant", "status", "name", "created_at"] },
		due: { columns: ["due_at"] },
		place: { columns: ["place_until"] },
		/** All sessions, in an order that no change affects. */
		created: { columns: ["created_at"] },
	},
	{
		hasOutbox: true,
		audited: ["name", "status", "model", "repo", "branch", "agent", "permission_mode", "budget", "tracker_issue_id"],
	},
);

export type SessionDocument = Document<(typeof sessionCollection)["columns"]>;
