/** The repository of memberships. Who may see and change which of them is decided by the directory. */
import { isoTime } from "#shared/clock.ts";
import type { TenantRole } from "#shared/contracts/identity/people-fields.ts";
import type { Member } from "#shared/contracts/identity/tenants.ts";
import { failpoint } from "#shared/failpoints.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import type { DocumentStore, Found, Page } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { memberCollection, type MemberColumns, type MemberDocument, membershipId } from "./member-collection.ts";

/** The role that a membership has from now on, and who has decided so. */
export interface RoleGrant {
	readonly role: TenantRole;
	readonly source: "claim" | "granted";
}

/** Most memberships of a person that are looked at. */
const maxPerPerson = 500;

/** The memberships of the installation. */
export class MemberRecords {
	readonly #store: DocumentStore;

	constructor(store: DocumentStore) {
		this.#store = store;
	}

	/** Returns a membership, also a removed one. */
	get(tenant: string, user: string): Promise<MemberDocument | undefined> {
		return this.#store.get(memberCollection, membershipId(tenant, user));
	}

	/** Makes somebody a member unless they are or were one; returns the membership as it is stored. */
	async ensure(tenant: string, user: string, grant: RoleGrant): Promise<MemberDocument> {
		const known = await this.get(tenant, user);
		if (known) return known;
		const document = newMembership(tenant, user, grant);
		const isFirst = await insertOnce(() => this.#store.insert(memberCollection, document));
		failpoint("memberships.written");
		return isFirst ? document : ((await this.get(tenant, user)) ?? document);
	}

	/** Makes somebody a member with this role, also again. */
	async grant(tenant: string, user: string, grant: RoleGrant): Promise<MemberDocument> {
		const former = await this.ensure(tenant, user, grant);
		return (await this.#change(tenant, user, () => ({ ...grant, state: "active" }))) ?? former;
	}

	/** Follows the provider's word about a role, unless an administrator has decided about it. */
	async follow(tenant: string, user: string, role: TenantRole): Promise<MemberDocument | undefined> {
		return this.#change(tenant, user, ({ source, state }) => {
			return source === "claim" && state === "active" ? { role, source, state } : undefined;
		});
	}

	/** Removes a member; returns whether there was one. */
	async remove(tenant: string, user: string): Promise<boolean> {
		const isMember = (await this.get(tenant, user))?.state === "active";
		const removed = await this.#change(tenant, user, () => ({ state: "removed" }));
		return isMember && removed !== undefined;
	}

	/** Returns a page of the members of a tenant, newest first. */
	of(tenant: string, page: Omit<Page, "descending">): Promise<Found<MemberColumns>> {
		const range = { equals: [tenant, "active"] };
		return this.#store.find(memberCollection, "by_tenant", range, { ...page, descending: true });
	}

	/** The ids and revisions of a page, as {@link DocumentStore.versions} returns them. */
	versions(tenant: string, page: Omit<Page, "descending">): Promise<string> {
		const range = { equals: [tenant, "active"] };
		return this.#store.versions(memberCollection, "by_tenant", range, { ...page, column: "rev", descending: true });
	}

	/** Returns the memberships of a person, also removed ones, newest first. */
	async ofPerson(user: string): Promise<readonly MemberDocument[]> {
		const page = { limit: maxPerPerson, descending: true };
		return (await this.#store.find(memberCollection, "by_user", { equals: [user] }, page)).documents;
	}

	/** Returns the ids of at most this many administrators of a tenant. */
	async administrators(tenant: string, limit: number): Promise<string[]> {
		const found = await this.#store.find(
			memberCollection,
			"by_role",
			{ equals: [tenant, "active", "admin"] },
			{ limit },
		);
		return found.documents.map(({ user = "" }) => user);
	}

	/** Writes what `decide` makes of a membership; undefined when there is none, or it is so already. */
	async #change(
		tenant: string,
		user: string,
		decide: (former: MemberDocument) => Partial<MemberDocument> | undefined,
	): Promise<MemberDocument | undefined> {
		const id = membershipId(tenant, user);
		const changed = await compareAndSet({
			what: "The membership",
			read: () => this.get(tenant, user),
			decide: (former) => former && changeOf(former, decide(former)),
			write: (former, { wire, ...set }) => {
				const { rev = 0 } = former ?? {};
				return this.#store.update(memberCollection, id, { equals: { rev } }, { wire, set: { ...set, rev: rev + 1 } });
			},
		});
		failpoint("memberships.written");
		return changed?.written;
	}
}

function newMembership(tenant: string, user: string, { role, source }: RoleGrant): MemberDocument {
	const granted_at = isoTime();
	const member: Member = { user_id: user, tenant_id: tenant, role, granted_at };
	const wire = JSON.stringify(member);
	return { id: membershipId(tenant, user), wire, tenant, user, state: "active", role, source, granted_at, rev: 1 };
}

type MemberChange = Pick<MemberDocument, "wire" | "state" | "role" | "source" | "granted_at">;

/** Returns the members that a change writes; undefined when it changes nothing. */
function changeOf(former: MemberDocument, wanted: Partial<MemberDocument> | undefined): MemberChange | undefined {
	if (!wanted) return undefined;
	const next = { ...former, ...wanted };
	const isSame = (["state", "role", "source"] as const).every((name) => next[name] === former[name]);
	if (isSame) return undefined;
	const { state = "", role = "", source = "", granted_at: before = "" } = next;
	const granted_at = state === "active" && former.state !== "active" ? isoTime() : before;
	const stored: Member = JSON.parse(former.wire);
	return { wire: JSON.stringify({ ...stored, role, granted_at }), state, role, source, granted_at };
}
