/** The stored form of the pull requests that were opened or merged through the platform. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

/** The text is a {@link PullRecord}. */
export const pullCollection = defineCollection(
	"pull_requests",
	{
		tenant: "text",
		/** The owner of its session; without a session, the person who merged it. */
		owner: "text",
		/** The session that it was opened from; absent: none. */
		session: "text",
		/** The name of the repository, as `FoundProvider` has it. */
		repo: "text",
		number: "integer",
		/** `open`, `merged` or `closed`. */
		state: "text",
		created_at: "text",
		/** Grows with every change, and numbers the events. */
		rev: "integer",
		/** The name that the `Idempotency-Key` of the first request gives it; absent without one. */
		key: "text",
		/** A digest of that request. */
		fingerprint: "text",
	},
	{
		of_session: { columns: ["session", "created_at"] },
		of_repo: { columns: ["tenant", "repo", "number"] },
		/** The records of one pull request in all tenants. */
		by_number: { columns: ["repo", "number", "tenant"], unique: true },
		by_key: { columns: ["key"] },
	},
	{ hasOutbox: true, audited: ["repo_url", "number", "head", "base", "state", "merge_method"] },
);

export type PullDocument = Document<(typeof pullCollection)["columns"]>;

/** The part of a pull request that the platform keeps; everything else is asked of the provider. */
export interface PullRecord {
	readonly session_id: string | null;
	/** The name of the repository, as `FoundProvider` has it. */
	readonly repo: string;
	/** The URL as the session has it, or as the caller gave it. */
	readonly repo_url: string;
	readonly provider: string;
	readonly number: number;
	readonly url: string;
	readonly head: string;
	readonly base: string;
	readonly head_sha: string;
	readonly state: "open" | "merged" | "closed";
	readonly created_at: string;
	/** Null while it is not merged, and when it was merged without this platform. */
	readonly merge_method: string | null;
	readonly merge_sha: string | null;
}
