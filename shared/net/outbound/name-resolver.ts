/** Resolves names to addresses, for outbound requests. */
import { lookup, Resolver } from "node:dns/promises";
import { after } from "#shared/base/clock.ts";

/** Returns all addresses of a name; none when it has none or when nobody answers. */
export type ResolveName = (host: string) => Promise<string[]>;

/** The time for all questions about one name, of all name servers together, in milliseconds. */
const longestMs = 10_000;

/**
 * Asks the name servers directly. The system's own resolver would block one of the few threads for files for as long as
 * a name server keeps silent, and people choose the names. It would also know the names of this machine's `/etc/hosts`
 * and its search domains.
 */
export async function resolvePublicName(host: string): Promise<string[]> {
	const resolver = new Resolver({ timeout: 2_000, tries: 2 });
	const late = after(longestMs, () => resolver.cancel());
	const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
	late.cancel();
	return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}

/** Asks the system, for names that the configuration allows. */
export async function resolveKnownName(host: string): Promise<string[]> {
	const addresses = await lookup(host, { all: true }).catch(() => []);
	return addresses.map(({ address }) => address);
}
