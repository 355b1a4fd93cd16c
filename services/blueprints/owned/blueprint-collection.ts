/** The stored form of blueprints that belong to one person: profiles and presets. */
import { defineCollection, type Document } from "#shared/store/collection.ts";
import { ownedColumns } from "#shared/store/resource-kind.ts";

/**
 * Returns the collection of one kind. The text is the blueprint as its owner sees it, with `"is_default":false` as the
 * last member: which one is the default stands in {@link defaultChoiceCollection}.
 * @param order The column by which lists are sorted.
 */
function blueprintCollection<const O extends "name" | "updated_at">(name: string, order: O) {
	return defineCollection(
		name,
		{
			...ownedColumns,
			name: "text",
			/** The group of which at most one is the default: the workload type of a profile, the agent of a preset. */
			grouping: "text",
			/** The time of its creation in milliseconds since 1970. */
			created_at: "integer",
			updated_at: "text",
		},
		{
			by_name: { columns: ["tenant", "owner", "name"], unique: true },
			listed: { columns: ["tenant", "owner", order] },
			grouped: { columns: ["tenant", "owner", "grouping", order] },
		},
		// Variables, headers and prompts may hold secrets; the stored text does not tell the default.
		{ audited: ["name", "workload_type", "cli_tool", "model"] },
	);
}

export const profileCollection = blueprintCollection("profiles", "name");
export const presetCollection = blueprintCollection("presets", "updated_at");

export type BlueprintCollection = typeof profileCollection | typeof presetCollection;
type BlueprintColumns = (typeof profileCollection)["columns"];
export type BlueprintDocument = Document<BlueprintColumns>;

/**
 * The defaults of one kind and person in one document, so that concurrent writers cannot make two. The text maps a group
 * to the {@link DefaultChoice}.
 */
export const defaultChoiceCollection = defineCollection("blueprint_defaults", { rev: "integer" }, {});

/** The newest choice of a group counts. */
export interface DefaultChoice {
	readonly id: string;
	/** The time of the choice in milliseconds since 1970. */
	readonly at: number;
}
