/** What the identity that the configuration names says of its callers. */
import { loadAdapterClass } from "#shared/config/adapter.ts";
import type { Config } from "#shared/config/config.ts";

/** Whether every caller may have the rights of whoever started the platform. An identity that does not say so trusts nobody. */
export async function trustsCallers({ identity }: Pick<Config, "identity">): Promise<boolean> {
	const { trustsCallers: trusts } = await loadAdapterClass(identity);
	return trusts === true;
}
