/** Fetches the secrets of a launch. They are passed on with the launch document and kept nowhere here. */
import { type Caller, call, type Meta } from "#shared/bus/service.ts";
import { injection } from "#shared/contracts/credentials/injection.ts";
import type { LaunchMapping } from "#shared/contracts/credentials/launch-mapping.ts";
import { connections } from "#shared/contracts/integrations/connections.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";

/** The most time of one request, in milliseconds. A pass has 9 s. */
const prepareMs = 3_000;

/** The count of passes that try; the next one starts the session without secrets (specification, Credential storage 5). */
const maxAttempts = 4;

/** The most people in one question. */
const maxPeople = 100;

/** The most repositories by which connections are chosen. */
const maxUrls = 100;

type Person = Pick<Claim, "tenant" | "owner">;

/**
 * Returns the secrets; undefined when the session has none.
 * @throws {Error} when they cannot be prepared now and a later pass should try again: services start in any order.
 */
export async function launchSecrets(bus: Caller, claim: Claim, meta: Meta): Promise<PodSecrets | undefined> {
	const { mappings, warnings } = await knownConnections(bus, claim, meta);
	const count = textsIn(claim.launch["credential_names"]).length;
	if (count + mappings.length + warnings.length === 0) return undefined;
	try {
		const secrets = await prepared(bus, claim, meta, mappings);
		return { ...secrets, warnings: [...warnings, ...secrets.warnings] };
	} catch (error) {
		if (claim.attempts < maxAttempts) throw error;
		const sentences = [...warnings, "the credentials could not be prepared"];
		return { variables: {}, files: [], git_credentials: [], warnings: sentences };
	}
}

/**
 * Returns the secrets as a launch would get them now; undefined when the session uses no connection, because only their
 * tokens change by themselves. @param hasSome Whether the pod has got some, which it loses with its last connection.
 * @throws {Error} when they cannot be had now: then the pod keeps what it has.
 */
export async function renewedSecrets(
	bus: Caller,
	claim: Claim,
	meta: Meta,
	hasSome: boolean,
): Promise<PodSecrets | undefined> {
	const { mappings } = await connected(bus, claim, meta);
	return mappings.length === 0 && !hasSome ? undefined : prepared(bus, claim, meta, mappings);
}

/** Returns those of the people who have connections: the secrets of nobody else's running sessions change. @throws {Error} */
export async function connectedPeople(bus: Caller, people: readonly Person[], meta: Meta): Promise<Person[]> {
	const found: Person[] = [];
	for (let from = 0; from < people.length; from += maxPeople) {
		const some = people.slice(from, from + maxPeople).map(({ tenant, owner }) => ({ tenant, owner }));
		found.push(...(await call(bus, connections.actions.connected, { people: some }, { meta, timeout: prepareMs })));
	}
	return found;
}

/**
 * Returns what the launch uses of the owner's connections. A session that names none does not wait for a service that
 * is away: it may not need any. @throws {Error} as {@link launchSecrets} does.
 */
async function knownConnections(bus: Caller, claim: Claim, meta: Meta): ReturnType<typeof connected> {
	try {
		return await connected(bus, claim, meta);
	} catch (error) {
		if (textsIn(claim.launch["integration_ids"]).length > 0 && claim.attempts < maxAttempts) throw error;
		return { mappings: [], warnings: ["the connections of the owner could not be read"] };
	}
}

function connected(bus: Caller, { tenant, owner, id: session_id, launch }: Claim, meta: Meta) {
	const integration_ids = textsIn(launch["integration_ids"]);
	const asked = { tenant, owner, session_id, integration_ids, repositories: repositoriesOf(launch) };
	return call(bus, connections.actions.launch, asked, { meta, timeout: prepareMs });
}

function prepared(
	bus: Caller,
	{ tenant, owner, id: session_id, launch }: Claim,
	meta: Meta,
	mappings: LaunchMapping[],
): Promise<PodSecrets> {
	const credential_names = textsIn(launch["credential_names"]);
	const tenant_credentials = textsIn(launch["tenant_credentials"]);
	const asked = { tenant, owner, session_id, credential_names, tenant_credentials, mappings };
	return call(bus, injection.actions.prepare, asked, { meta, timeout: prepareMs });
}

function repositoriesOf({ repositories }: Claim["launch"]): string[] {
	const listed: unknown[] = Array.isArray(repositories) ? repositories : [];
	return listed.flatMap((one) => (one instanceof Object && "url" in one ? textsIn([one.url]) : [])).slice(0, maxUrls);
}

function textsIn(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}
