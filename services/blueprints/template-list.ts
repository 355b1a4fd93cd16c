/** Splits the list of templates into pages; most installations have only one. */
import type { Template } from "#shared/contracts/templates.ts";
import { answerBytes } from "#shared/pod/answer-size.ts";
import { decodeCursor, encodeCursor, refuseCursor } from "#shared/store/cursor.ts";
import { PageRoom } from "#shared/store/page-room.ts";

/** One page of templates with the cursor of the next one. */
export interface TemplatePage {
	items: Template[];
	next?: string;
}

/** Returns a page of templates in the order of their names. @throws {BadRequestError} for an invalid cursor. */
export function templatePage(templates: readonly Template[], cursor?: string): TemplatePage {
	const former = cursor === undefined ? "" : nameIn(cursor);
	const following = templates.filter(({ name }) => name > former).toSorted((a, b) => (a.name < b.name ? -1 : 1));
	const room = new PageRoom(following.length, answerBytes);
	const end = following.findIndex((template) => !room.take(JSON.stringify(template)));
	if (end === -1) return { items: following };
	const items = following.slice(0, end);
	const { name = "" } = items.at(-1) ?? {};
	return { items, next: encodeCursor({ value: name, id: name }) };
}

function nameIn(cursor: string): string {
	try {
		return decodeCursor(cursor).id;
	} catch (error) {
		return refuseCursor(error);
	}
}
