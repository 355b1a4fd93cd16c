/** The stored form of saved prompts. */
import { defineCollection, type Document } from "#shared/store/collection.ts";

/** The text is a {@link Prompt}. */
export const promptCollection = defineCollection(
	"prompts",
	{
		tenant: "text",
		/** The id of the person who created the prompt. */
		owner: "text",
		/** `global` or `project`. */
		scope: "text",
		/** The repository of a project's prompt, as `repositoryKey` names it; absent for a global one. */
		repo: "text",
		updated_at: "text",
		/** Grows with every change. */
		rev: "integer",
		/** The searchable texts, as `foldedText` makes them. */
		name: "text",
		content: "text",
		/** A digest of the request that created the prompt; present when the request had an `Idempotency-Key`. */
		fingerprint: "text",
	},
	{
		by_tenant: { columns: ["tenant", "updated_at"] },
		by_scope: { columns: ["tenant", "scope", "updated_at"] },
		by_repo: { columns: ["tenant", "repo", "updated_at"] },
	},
	{
		searched: { index: "by_tenant", columns: ["name", "content"] },
		audited: ["name", "scope", "project_repo", "tags"],
	},
);

export type PromptColumns = (typeof promptCollection)["columns"];
export type PromptDocument = Document<PromptColumns>;
