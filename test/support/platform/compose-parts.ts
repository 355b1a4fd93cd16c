/** Composes parts of the platform over their store like a process does, for a test's own broker. */
import { loadParts } from "#host/service-folders.ts";
import { openStorage } from "#host/storage/storage.ts";
import type { Part, Platform } from "#host/platform.ts";

/** Returns the parts; closing the last one closes the store. @param names The storing parts and others. */
export async function composeParts(platform: Platform, names: readonly string[]): Promise<Part[]> {
	const modules = await loadParts(names);
	const storage = await openStorage(platform, modules);
	const parts: Part[] = [];
	for (const module of modules.values())
		parts.push(await (module.collections ? module.compose({ ...platform, ...storage }) : module.compose(platform)));
	return [...parts, { services: [], close: () => storage.store.close() }];
}
