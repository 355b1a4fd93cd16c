/** Decides how the word of an identity provider changes a membership. A word that is older than the last one changes nothing. Pure. */
import type { TenantRole } from "#shared/contracts/identity/people-fields.ts";
import { confirmedAt, type MemberDocument, strongestRole } from "./member-collection.ts";

/** The time of the newest word is written at most once in this time, in milliseconds, where the words have no order. */
const confirmEveryMs = 3_600_000;

/** A newer word has precedence over an older one. */
export interface ProviderWord {
	/** Absent: it says nothing about the role. */
	readonly role?: TenantRole | undefined;
	/** The time of the word in milliseconds since 1970. */
	readonly at: number;
	/** Whether words may arrive in another order than they were said, as tokens do. */
	readonly isDated: boolean;
}

/** Returns the change of a membership; undefined for none. An administrator's decision about role and removal stands. */
export function confirmed(former: MemberDocument, word: ProviderWord): Partial<MemberDocument> | undefined {
	const since = word.at - confirmedAt(former);
	if (former.state === "removed") return undefined;
	const said = { role: roleBy(former, word), seen_at: word.at };
	if (former.state === "left")
		return since > 0 ? { ...said, state: "active", source: "claim", role_by: "claim" } : undefined;
	return confirmedMember(former, said, since, word.isDated);
}

/** Returns the change by an administrator who makes somebody a member, or sets the role of one. */
export function granted(former: MemberDocument, role: TenantRole): Partial<MemberDocument> {
	const isMember = former.state === "active";
	return { role, role_by: "granted", ...(!isMember && { source: "granted", state: "active" }) };
}

/** Returns the change of a present membership; undefined for none. @param since How much newer the word is, in milliseconds. */
function confirmedMember(
	former: MemberDocument,
	said: { readonly role: TenantRole; readonly seen_at: number },
	since: number,
	isDated: boolean,
): Partial<MemberDocument> | undefined {
	const { role, seen_at } = former;
	const isDue = since >= confirmEveryMs || seen_at === undefined;
	if (former.role_by !== "claim") return isDue ? { seen_at: said.seen_at } : undefined;
	const isNews = said.role !== role || (isDated && since > 0);
	return since >= 0 && (isDue || isNews) ? said : undefined;
}

/** Returns the change of a membership by claim when the provider names another tenant; undefined for none. */
export function left(former: MemberDocument, at: number): Partial<MemberDocument> | undefined {
	const ends = former.state === "active" && former.source === "claim" && at >= confirmedAt(former);
	return ends ? { state: "left", seen_at: at } : undefined;
}

/** An administrator by the provider's word, about whom it says nothing any more, is none. */
function roleBy({ role: former = "" }: MemberDocument, { role }: ProviderWord): TenantRole {
	const known = strongestRole([former]) ?? "developer";
	return role ?? (known === "admin" ? "developer" : known);
}
