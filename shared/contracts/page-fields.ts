/** The parameters and the result that all actions have which answer with a page of a list. */
import { type Rule, schema } from "#shared/base/schema/schema.ts";

export const pageParams = schema({
	limit: { type: "number", integer: true, min: 1, max: 500, default: 500, description: "Most items of the page" },
	cursor: {
		type: "string",
		max: 2_000,
		optional: true,
		description: "The cursor in the `Link` header of the preceding page",
	},
});

/** Returns the result of an action that answers with a page. @param items The rule of one item. */
export function pageOf<const I extends Rule>(items: I) {
	return {
		paged: true,
		returns: {
			type: "object",
			props: {
				items: { type: "array", items },
				next: { type: "string", optional: true },
				etag: { type: "string", optional: true },
				unchanged: { type: "boolean", optional: true },
			},
		},
	} as const;
}
