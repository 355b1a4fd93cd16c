/** The tables from which repositories of resources are made (resource-records.ts). */
import type { Owner } from "#shared/base/principal.ts";
import type { Collection, Columns, Document, IndexSpec, Row } from "./collection.ts";
import type { Change, OutboxEntry } from "./port/documents.ts";

export type Action = "see" | "change" | "delete";

export type ResourceColumns = Columns & { readonly rev: "integer" };

/** The columns of resources that persons create. */
export const ownedColumns = {
	tenant: "text",
	/** The id of the person who created it. */
	owner: "text",
	/** Grows with every change. */
	rev: "integer",
	/** A digest of the request that created it; present when the request had an `Idempotency-Key`. */
	fingerprint: "text",
} as const;

/** One kind of resource. `Who` asks for it: a principal, or its owner alone. */
export interface ResourceKind<C extends ResourceColumns, I extends string, Who> {
	readonly collection: Collection<C, Readonly<Record<I, IndexSpec>>>;
	/** The word for one of them in sentences, e.g. `Prompt`, and in the types of errors, e.g. `PROMPT_NOT_FOUND`. */
	readonly noun: string;
	/** The longest part of an unknown id that is repeated in a sentence, in UTF-16 units; default all of it. */
	readonly shownOfId?: number;
	/** The first part of the names that ids are made from, which must never change; default the noun. */
	readonly keyed?: string;
	/** Default: nobody asks for one by its id. */
	readonly isAllowed?: (who: Who, action: Action, document: Document<C>) => boolean;
	/** Whether a read is entered in the audit log; default: none is. */
	readonly isNoted?: (who: Who, document: Document<C>) => boolean;
	/** The sentences for somebody who may see a resource but not do this with it; default: it does not exist then. */
	readonly refusals?: { readonly change?: string; readonly delete?: string };
	/** The most that a person has, counted by an index of tenant and owner, and the error for one more. */
	readonly quota?: { readonly index: NoInfer<I>; readonly most: number; readonly refusal: () => Error };
	/** Returns the error for a document whose unique columns another one has; default {DuplicateKeyError}. */
	readonly taken?: (columns: Row<C>) => Error;
	/** Called after every write. */
	readonly written?: () => void;
}

/** The change that a write makes, and its event, whose number is the revision of the document. */
export interface Written<C extends Columns> extends Change<C> {
	readonly event?: Pick<OutboxEntry, "type" | "data" | "at"> | undefined;
}

/** A document as it was read; the audience of events is its tenant and its owner. */
export interface Revision {
	readonly id: string;
	readonly rev?: number | undefined;
	readonly tenant?: string | undefined;
	readonly owner?: string | undefined;
}

/** The request that creates a resource, and the client's `Idempotency-Key`. */
export interface KeyedRequest {
	readonly request: object;
	readonly key?: string | undefined;
}

/** A list of resources: the values of the leading columns of an index, sorted by the last one. */
export interface ResourceList<I extends string> {
	readonly index: I;
	readonly equals: readonly (string | number)[];
	/** Default true. */
	readonly descending?: boolean;
}

/** Whether a resource belongs to this person; to anybody else it does not exist. */
export function isOwnedBy({ tenant, id }: Owner, _action: Action, document: Row<Columns>): boolean {
	return document["tenant"] === tenant && document["owner"] === id;
}
