/** Reads how far the configured identity trusts its callers. */
import { loadAdapterClass } from "#shared/config/adapter.ts";
import type { Config } from "#shared/config/config.ts";

/**
 * Whether every caller may have the rights of the person who started the platform. An identity without this declaration
 * trusts nobody.
 */
export async function trustsCallers({ identity }: Pick<Config, "identity">): Promise<boolean> {
	const { trustsCallers: trusts } = await loadAdapterClass(identity);
	return trusts === true;
}
