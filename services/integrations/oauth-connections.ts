/** Keeps the one connection that a person has by a login at an integration. */
import { actingAs } from "#shared/base/actor.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import type { Owner } from "#shared/base/principal.ts";
import type { ConnectionRecords } from "./connections/connection-records.ts";
import type { ConnectionKeeper } from "./oauth/connected-account.ts";
import type { Person } from "./oauth/oauth-definition.ts";

export class OAuthConnections implements ConnectionKeeper {
	readonly #records: ConnectionRecords;
	readonly #catalogue: Catalogue;

	constructor(records: ConnectionRecords, catalogue: Catalogue) {
		this.#records = records;
		this.#catalogue = catalogue;
	}

	async connect(person: Person, slug: string, credential_name: string): Promise<void> {
		const owner = ownerOf(person);
		// The redirect of a browser carries no login of the platform: the audit log names the person who began.
		const actor = {
			principal: { kind: "user" as const, ...owner, roles: [] },
			action: "oauth.callback",
			isRead: false,
		};
		await actingAs(actor, () => this.#upsert(owner, slug, credential_name));
	}

	async disconnect(person: Person, slug: string): Promise<void> {
		const owner = ownerOf(person);
		const [connection] = await this.#records.ofIds(owner, [idOf(owner, slug)]);
		if (connection) await this.#records.delete(owner, connection.id);
	}

	async #upsert(owner: Owner, slug: string, credential_name: string): Promise<void> {
		const [connection] = await this.#records.ofIds(owner, [idOf(owner, slug)]);
		if (connection) {
			await this.#records.change(owner, connection.id, { credential_name, enabled: true });
			return;
		}
		const definition = (await this.#catalogue.definitions()).get(slug);
		if (!definition) throw new UnprocessableError(`The catalogue has no entry "${slug}"`, "INTEGRATION_UNKNOWN");
		const { integration_type, adapter } = definition;
		const made = { integration_type, adapter, slug, credential_name, config: {}, enabled: true };
		await this.#records.create(owner, made, keyOf(slug));
	}
}

/** No `Idempotency-Key` of a request has a colon, so no request can take this place. */
function keyOf(slug: string): string {
	return `oauth:${slug}`;
}

/** The id that the repository gives to a connection with that key. */
function idOf({ tenant, id }: Owner, slug: string): string {
	return nameBasedUuid("connection", tenant, id, keyOf(slug));
}

function ownerOf({ tenant, owner: id }: Person): Owner {
	return { tenant, id };
}
