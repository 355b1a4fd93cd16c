/** The stored form of evaluations of merges. */
import { defineCollection, type Document } from "#shared/store/collection.ts";
import { ownedColumns } from "#shared/store/resource-kind.ts";

/** The text is an {@link Evaluation}. */
export const evaluationCollection = defineCollection(
	"merge_evaluations",
	{
		...ownedColumns,
		/** The repository as `repositoryKey` names it; absent when only facts of the caller were judged. */
		repo: "text",
		/** The number of the pull request; absent as above. */
		pull: "integer",
		evaluated_at: "text",
	},
	{
		by_tenant: { columns: ["tenant", "evaluated_at"] },
		by_owner: { columns: ["tenant", "owner", "evaluated_at"] },
		by_tenant_repo: { columns: ["tenant", "repo", "evaluated_at"] },
		by_owner_repo: { columns: ["tenant", "owner", "repo", "evaluated_at"] },
		by_pull: { columns: ["repo", "pull", "evaluated_at"] },
		by_age: { columns: ["evaluated_at"] },
	},
	{ audited: ["repo_url", "number"] },
);

export type EvaluationDocument = Document<(typeof evaluationCollection)["columns"]>;
