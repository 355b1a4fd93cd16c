/** Port: a store in its four parts. A user takes the parts that it needs; an adapter has all of them. */
import type { Documents } from "./port/documents.ts";
import type { Lifecycle } from "./port/lifecycle.ts";
import type { Outbox } from "./port/outbox.ts";
import type { Search } from "./port/search.ts";

export type DocumentStore = Documents & Search & Outbox & Lifecycle;

/** The methods that an adapter must have. */
export const documentStoreMethods = [
	"open",
	"insert",
	"append",
	"get",
	"update",
	"find",
	"versions",
	"search",
	"count",
	"remove",
	"removeMany",
	"outbox",
	"isWaiting",
	"trimOutbox",
	"snapshot",
	"ping",
	"close",
] as const;
