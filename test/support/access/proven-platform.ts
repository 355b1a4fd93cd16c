/** Runs the proof of access on a platform of the tests. */
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { Caller } from "../../../cli/doctor/caller.ts";
import { spellings } from "../../../cli/doctor/live-callers.ts";
import { Proof, type ProofResult } from "../../../cli/doctor/proof.ts";
import { Prober } from "../../../cli/doctor/prober.ts";
import { rows as allRows } from "../../../cli/doctor/rows.ts";
import { revokedCallers, tokenCallers } from "../../../cli/doctor/token-callers.ts";
import { World } from "../../../cli/doctor/world.ts";
import { tokenSpellings } from "../hostile/token-spellings.ts";
import { createSession } from "../platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../platform/start-platform.ts";
import { configuredPeople, configuredUsers, impostors, pods, type ProofPeople } from "./callers.ts";

/** The further prefixes of the API that are tried. */
export const provenAliases = ["volundr", "niuu"];

/** The configuration of a platform with the people of the proof. */
const provenConfig = {
	gateway: { aliases: provenAliases },
	identity: { kwargs: { users: configuredUsers } },
	stream: { heartbeat_seconds: 300 },
	pods: { people_share_a_machine: "they-trust-each-others-code" },
};

/** Starts a platform with the people of the proof. @param root The folder of its sources; default: this project. */
export function startProvenPlatform(root?: string): Promise<TestPlatform> {
	return startPlatform({ config: provenConfig, ...(root !== undefined && { root }) });
}

/** A platform of the proof, whose installation key is in its data folder or known. */
export interface ProvenPlatform extends Pick<TestPlatform, "url" | "client"> {
	readonly dataDir?: string;
	readonly installationKey?: string;
}

/**
 * Lets every caller try every route.
 * @param tried The routes to try; default: all of them.
 * @param people Default: those of the configuration.
 */
export async function provePlatform(
	platform: ProvenPlatform,
	tried: readonly string[] = Object.keys(allRows),
	people: ProofPeople = configuredPeople(),
): Promise<ProofResult & { requests: number }> {
	const rows = Object.fromEntries(Object.entries(allRows).filter(([route]) => tried.includes(route)));
	const prober = new Prober(platform.url);
	const [owner, ...others] = people.persons;
	const stranger = others.find(({ name }) => name === "a stranger");
	const prefix = "/api/v1/svc";
	const world = new World({ prober, prefix, owner, isInUse: false });
	await world.make(2);
	const { id: strange } = await createSession(platform.client(stranger?.headers));
	const own = world.target("session")?.id ?? "";
	const other = world.target("unstarted-session")?.id ?? "";
	const key = openInstallationKey(platform.dataDir ?? "", platform.installationKey ?? "");
	const podCallers = pods(key, { own, other, strange });
	const tokens = await programs(prober, world, [owner, ...others]);
	const callers = [owner, ...others, ...people.claimants, ...impostors(own, people.token), ...podCallers, ...tokens];
	const prefixes = [prefix, ...provenAliases.map((alias) => `/api/v1/${alias}`)];
	const result = await new Proof({ prober, world, prefixes, owner, callers, rows, isInUse: false }).run();
	return { ...result, holes: [...result.holes, ...(await world.remove())], requests: prober.sent };
}

/** People whose personal access tokens call, too. */
const tokenHolders = ["the owner", "a viewer", "an administrator", "a stranger"];

async function programs(prober: Prober, world: World, people: readonly Caller[]): Promise<Caller[]> {
	const callers: Caller[] = [];
	for (const person of people.filter(({ name }) => tokenHolders.includes(name)))
		callers.push(...(await tokenCallers(prober, world, person)));
	const spell = (token: string) => [
		...spellings(token),
		...tokenSpellings(token)
			.slice(-4)
			.map((text, i) => [`spelling ${i}`, text] as const),
	];
	const [owner] = people;
	return owner ? [...callers, ...(await revokedCallers(prober, owner, spell))] : callers;
}
