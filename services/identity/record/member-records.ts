/** The repository of memberships. Who may see and change which of them is decided by the directory. */
import { isoTime } from "#shared/base/clock.ts";
import type { TenantRole } from "#shared/contracts/identity/people-fields.ts";
import type { Member } from "#shared/contracts/identity/tenants.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { memberCollection, type MemberDocument, membershipId } from "./member-collection.ts";
import { confirmed, granted, left, type ProviderWord } from "./provider-word.ts";

/** The role of a new membership, and who has made it and decides its role. */
interface RoleGrant {
	readonly role: TenantRole;
	readonly source: "claim" | "granted";
}

/** The role of somebody about whom neither the provider nor an administrator has said anything. */
const firstRole: TenantRole = "developer";

/** Most memberships of a person that are looked at. */
const maxPerPerson = 500;

export class MemberRecords {
	readonly #store: Documents;
	readonly #records: ResourcesIn<typeof memberCollection>;

	constructor(store: Documents) {
		this.#store = store;
		const written = () => failpoint("memberships.written");
		this.#records = new ResourceRecords(store, { collection: memberCollection, noun: "Membership", written });
	}

	/** Returns a membership, also a removed one. */
	get(tenant: string, user: string): Promise<MemberDocument | undefined> {
		return this.#store.get(memberCollection, membershipId(tenant, user));
	}

	/** Makes somebody a member unless they are or were one; returns the membership as it is stored. */
	async ensure(tenant: string, user: string, grant: RoleGrant, seenAt?: number): Promise<MemberDocument> {
		const known = await this.get(tenant, user);
		if (known) return known;
		const document = newMembership(tenant, user, grant, seenAt);
		return (await this.#records.insert(document)) ? document : ((await this.get(tenant, user)) ?? document);
	}

	/** Makes somebody a member with this role, also again, or sets the role of a member. */
	async grant(tenant: string, user: string, role: TenantRole): Promise<MemberDocument> {
		const member = await this.ensure(tenant, user, { role, source: "granted" });
		return (await this.#change(member.id, (former) => granted(former, role))) ?? member;
	}

	/**
	 * Writes what the provider says about a person in a tenant; returns the membership as it is stored then, which others
	 * may have changed meanwhile. @param known The membership that was read before; absent: there is none.
	 */
	async confirm(
		tenant: string,
		user: string,
		word: ProviderWord,
		known: MemberDocument | undefined,
	): Promise<MemberDocument> {
		if (known && !confirmed(known, word)) return known;
		const grant = { role: word.role ?? firstRole, source: "claim" } as const;
		const member = await this.ensure(tenant, user, grant, word.at);
		return (await this.#change(member.id, (former) => confirmed(former, word))) ?? member;
	}

	/** Ends a membership by claim, because the provider names another tenant since. */
	async leave(tenant: string, user: string, at: number): Promise<void> {
		await this.#change(membershipId(tenant, user), (former) => left(former, at));
	}

	/** Removes a member; returns whether there was one. */
	async remove(tenant: string, user: string): Promise<boolean> {
		const isMember = (await this.get(tenant, user))?.state === "active";
		if (isMember) await this.#change(membershipId(tenant, user), () => ({ state: "removed" }));
		return isMember;
	}

	/** Returns the two ways to read a page of the members of a tenant, newest first. */
	of(tenant: string, page: PageRequest) {
		return this.#records.pages({ index: "by_tenant", equals: [tenant, "active"] }, page, ["rev", "user"]);
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

	/** Writes what `decide` makes of a membership, and returns the newest form of it. */
	#change(id: string, decide: (former: MemberDocument) => Partial<MemberDocument> | undefined) {
		return this.#records.changeOf(id, (former) => changeOf(former, decide(former)));
	}
}

function newMembership(
	tenant: string,
	user: string,
	{ role, source }: RoleGrant,
	seenAt: number | undefined,
): MemberDocument {
	const granted_at = isoTime();
	const member: Member = { user_id: user, tenant_id: tenant, role, granted_at };
	const id = membershipId(tenant, user);
	const seen = seenAt === undefined ? {} : { seen_at: seenAt };
	const columns = {
		tenant,
		user,
		state: "active",
		role,
		source,
		role_by: source,
		granted_at,
		epoch: 0,
		...seen,
		rev: 1,
	};
	return { id, wire: JSON.stringify(member), ...columns };
}

const decided = ["state", "role", "source", "role_by", "seen_at"] as const;

/** Returns the members that a change writes; undefined when it changes nothing. */
function changeOf(former: MemberDocument, wanted: Partial<MemberDocument> | undefined) {
	if (!wanted || decided.every((name) => !(name in wanted) || wanted[name] === former[name])) return undefined;
	const { state = "", role = "", source = "", role_by, seen_at } = { ...former, ...wanted };
	const turned = turnOf(former, state);
	const stored: Member = JSON.parse(former.wire);
	const wire = JSON.stringify({ ...stored, role, granted_at: turned.granted_at });
	const told = { ...(role_by !== undefined && { role_by }), ...(seen_at !== undefined && { seen_at }) };
	return { wire, set: { state, role, source, ...turned, ...told } };
}

/** Returns when a membership began that has this state from now on, and its epoch. */
function turnOf({ state: former, granted_at = "", epoch = 0 }: MemberDocument, state: string) {
	const isTurn = (state === "active") !== (former === "active");
	if (!isTurn) return { granted_at, epoch };
	return { granted_at: state === "active" ? isoTime() : granted_at, epoch: epoch + 1 };
}
