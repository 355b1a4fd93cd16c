/** The stored form of saved prompts. */
import { defineCollection, type Document } from "#shared/store/collection.ts";
import { ownedColumns } from "#shared/store/resource-kind.ts";

/** The text is a {@link Prompt}. */
export const promptCollection = defineCollection(
	"prompts",
	{
		...ownedColumns,
		/** `global` or `project`. */
		scope: "text",
		/** The repository of a project's prompt, as `repositoryKey` names it; absent for a global one. */
		repo: "text",
		updated_at: "text",
		/** The searchable texts, as `foldedText` makes them. */
		name: "text",
		content: "text",
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

type PromptColumns = (typeof promptCollection)["columns"];
export type PromptDocument = Document<PromptColumns>;
