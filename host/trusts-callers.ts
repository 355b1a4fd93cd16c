/** Reads how far the configured identity trusts its callers, and whether it serves a platform like this one. */
import { loadAdapterClass } from "#shared/config/adapter.ts";
import { type Config, ConfigError } from "#shared/config/config.ts";

/**
 * Whether every caller may have the rights of the person who started the platform. An identity without this declaration
 * trusts nobody.
 */
export async function trustsCallers({ identity }: Pick<Config, "identity">): Promise<boolean> {
	const { trustsCallers: trusts } = await loadAdapterClass(identity);
	return trusts === true;
}

/**
 * Refuses an identity that knows its callers by the user of their program when the platform has a bus: a load balancer in
 * front of two gateways, or a process on another machine, is a program too, and would be the developer.
 * @throws {ConfigError} that says which identities serve a platform with a bus.
 */
export async function refuseIdentityOfOneProcess({ identity, bus }: Pick<Config, "identity" | "bus">): Promise<void> {
	if (bus.url === "") return;
	const { forOneProcess } = await loadAdapterClass(identity);
	if (forOneProcess !== true) return;
	throw new ConfigError(
		`Configuration key "identity.adapter" cannot be "${identity.adapter}" together with "bus.url", because it takes ` +
			"programs of this machine for the developer; use " +
			'"services/gateway/identity-providers/token.ts#TokenIdentity" for one person, or an identity of several people ' +
			"(docs/identity.md)",
	);
}
