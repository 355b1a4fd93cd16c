/** The way out of a session as levels of launch settings say it. No level can widen what another one allows. Pure. */
import { egressProfiles } from "#shared/base/hosts/egress-profiles.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";

export type EgressLevel = NonNullable<LaunchSettings["egress"]>;

/** Returns what a `workload_config` says; undefined when it says nothing. Its values were checked when it was stored. */
export function egressOf({ egress, egress_hosts: hosts }: Readonly<Record<string, unknown>>): EgressLevel | undefined {
	const profile = egressProfiles.find((one) => one === egress);
	if (profile === undefined) return undefined;
	return { profile, hosts: Array.isArray(hosts) ? hosts.map((host) => String(host).toLowerCase()) : [] };
}

/** Returns the narrower one. @param below It decides between two of one profile. */
export function narrower(level: EgressLevel | undefined, below: EgressLevel | undefined): EgressLevel | undefined {
	if (!level || !below) return level ?? below;
	return egressProfiles.indexOf(level.profile) > egressProfiles.indexOf(below.profile) ? level : below;
}
