/** Splits the list of templates into pages; most installations have only one. */
import type { Template } from "#shared/contracts/templates.ts";
import { memoryPage } from "#shared/store/memory-page.ts";

/** One page of templates with the cursor of the next one. */
export interface TemplatePage {
	items: Template[];
	next?: string;
}

/** Returns a page of templates in the order of their names. @throws {BadRequestError} for an invalid cursor. */
export function templatePage(templates: readonly Template[], cursor?: string): TemplatePage {
	const request = { limit: templates.length, cursor };
	const { items, next } = memoryPage(templates, ({ name }) => ({ value: name, id: name }), request);
	return { items, ...(next !== undefined && { next }) };
}
