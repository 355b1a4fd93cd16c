/** Shows in lists of blueprints which of them are defaults. Pure. */
import type { FoundDocuments, ListedDocument, StoredList } from "#shared/store/pages/stored-page.ts";
import type { BlueprintDocument } from "./blueprint-collection.ts";
import { shownText } from "./blueprint-kind.ts";
import type { Defaults } from "./default-choices.ts";

/** A list of stored blueprints, whose texts do not tell the default. */
interface BlueprintList extends StoredList {
	readonly page: () => Promise<{ documents: readonly BlueprintDocument[]; next?: string }>;
}

/**
 * Returns the list as its owner sees it. The revision of a default is negative, so that the tag of a page changes with the
 * choice of a default, which does not change the documents.
 */
export function shownList({ page, versions }: BlueprintList, defaults: Defaults): StoredList {
	const chosen = new Set(defaults.ids);
	const shown = ({ id, wire, rev = 0, grouping = "" }: BlueprintDocument): ListedDocument => {
		const isDefault = defaults.of(grouping) === id;
		return { id, wire: shownText(wire, isDefault), rev: isDefault ? -rev : rev };
	};
	const shownLine = (line: string): string => {
		const [id = "", rev = ""] = line.split(":");
		return chosen.has(id) ? `${id}:-${rev}` : line;
	};
	return {
		page: async () => {
			const found = await page();
			return { ...found, documents: found.documents.map(shown) };
		},
		versions: async () => (await versions()).split("\n").map(shownLine).join("\n"),
	};
}

/** Leaves only the defaults, or only the others; the page is therefore shorter than its limit. */
export function filtered({ documents, ...rest }: FoundDocuments, wanted: boolean): FoundDocuments {
	return { ...rest, documents: documents.filter(({ rev = 0 }) => rev < 0 === wanted) };
}
