/** Parts of the platform over their store, as a process composes them, for a broker of a test's own. */
import { loadParts } from "#services/service-folders.ts";
import { openStorage } from "#services/storage.ts";
import type { Part, Platform } from "#shared/platform.ts";

/** What is closed last closes the store. @param names Those that store, and others. */
export async function composeParts(platform: Platform, names: readonly string[]): Promise<Part[]> {
	const modules = await loadParts(names);
	const storage = await openStorage(platform, modules);
	const parts: Part[] = [];
	for (const module of modules.values())
		parts.push(await (module.collections ? module.compose({ ...platform, ...storage }) : module.compose(platform)));
	return [...parts, { services: [], close: () => storage.store.close() }];
}
