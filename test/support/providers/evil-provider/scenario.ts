/** One way in which a provider's server can be hostile, broken, slow or busy. */
import type { Socket } from "node:net";
import type { Exchange } from "./exchange.ts";

/** The classes of errors that a caller may see, and `fine` for the honest result. */
export type Outcome =
	| "fine"
	| "BadRequestError"
	| "ConflictError"
	| "ForbiddenError"
	| "NotFoundError"
	| "TimeoutError"
	| "UnauthorizedError"
	| "UnavailableError"
	| "UnprocessableError"
	| "UpstreamError"
	/** A result of the right form that differs from the honest one, because the server says something else. */
	| "other";

export interface Scenario {
	readonly name: string;
	/** The outcomes of reading, of which one has to come. */
	readonly read: readonly Outcome[];
	/** The outcomes of writing; default those of reading. The scenario answers the change itself only. */
	readonly write?: readonly Outcome[];
	/** Answers one request. */
	readonly answer?: (exchange: Exchange) => void | Promise<void>;
	/** Deals with a connection before anything is read. */
	readonly meet?: (socket: Socket) => void;
	/** The provider's URL begins with this; default http. */
	readonly scheme?: "https";
	/** The operation may wait for the server in vain: it gets little time. */
	readonly isSlow?: boolean;
	/** Lists seem to have no end. */
	readonly isEndless?: boolean;
	/** The answer says that nothing was done, so that a change may be sent again. */
	readonly isUndone?: boolean;
}
