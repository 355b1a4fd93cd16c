/** The keys of the configuration about workspaces (docs/workspaces.md). */
import { schema } from "#shared/base/schema/schema.ts";
import { section, whole } from "./field-rules.ts";

export const workspaceFields = schema({
	retention_days: {
		type: "number",
		min: 0,
		max: 36_500,
		optional: true,
		description: "Days after which an archived workspace is deleted; empty: it is kept until somebody deletes it",
	},
	quota: section({
		count: {
			...whole,
			min: 1,
			optional: true,
			description: "Most workspaces of a user, archived ones too; empty: no limit",
		},
		gib: {
			type: "number",
			min: 0,
			max: 1_000_000,
			optional: true,
			description:
				"Most GiB of a user's workspaces, as measured last, at which a session can be created; empty: no limit",
		},
	}),
});
