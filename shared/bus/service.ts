/** The only module that knows both contracts and Moleculer. */
import type { ActionSchema, CallingOptions, Context, EventSchema } from "moleculer";
import { ForbiddenError, InvalidParametersError, TimeoutError, UnauthorizedError } from "../errors.ts";
import { now } from "../clock.ts";
import { type Access, type Action, type AnyAction, type Contract, type Event, isIdempotent } from "./contract.ts";
import { type JsonText, withValues } from "./json-text.ts";
import { anonymous, isAdmin, type Principal, type PrincipalKind } from "./principal.ts";
import { refuseLargeRequest, refuseLargeResult } from "./message-size.ts";
import { compileSchema } from "./validator.ts";
import type { VouchedPrincipal } from "./vouched-principal.ts";

/** What travels with a call. The principal is the only credential in it. */
export interface Meta {
	/** Absent for everybody who may remain unknown. */
	principal?: VouchedPrincipal;
	request_id?: string;
	/** Milliseconds since 1970 after which nobody waits for the answer any more. */
	deadline?: number;
	/** The client's `Idempotency-Key`, where it sent one. */
	idempotency_key?: string;
	/** The client's `If-None-Match`, where it sent one. */
	if_none_match?: string;
}

/** Set by the principal middleware from what was vouched for, never by a caller. */
interface Locals {
	principal?: Principal;
}

export type RequestContext = Context<unknown, Meta, Locals>;

/** May answer with JSON text where it has that already. */
type Handler<A> =
	A extends Action<unknown, infer P, infer R>
		? (params: P, principal: Principal, ctx: RequestContext) => Promise<Answered<R>>
		: never;
type Answered<R> = R | JsonText | (R extends { items: unknown } ? Omit<R, "items"> & { items: JsonText } : never);
type AnyHandler = (params: unknown, principal: Principal, ctx: RequestContext) => Promise<unknown>;

/** Clocks of two machines may differ by this much before a late request counts as late. */
const clockSkewMs = 2_000;

/** Read by the bus's retry middleware: only what cannot do harm twice is repeated, after 50 to 400 ms. */
const repeatable = { enabled: true, retries: 2, delay: 50, maxDelay: 400, factor: 2 };

const kinds: Record<Access, readonly PrincipalKind[]> = {
	public: ["anonymous", "user", "pat", "pod", "system"],
	user: ["user", "pat"],
	admin: ["user", "pat"],
	session: ["user", "pat", "pod"],
	pod: ["pod"],
	system: ["system"],
};

/** Moleculer actions for every action of a contract; a missing or extra handler does not compile. */
export function implement<A extends Record<string, AnyAction>>(
	contract: Contract<A>,
	handlers: { [K in keyof A]: Handler<A[K]> },
): Record<string, ActionSchema> {
	return Object.fromEntries(
		Object.entries(contract.actions).map(([key, action]) => [key, actionSchema(action, handlers[key] as AnyHandler)]),
	);
}

function actionSchema(action: AnyAction, handler: AnyHandler): ActionSchema {
	const check = compileSchema(action.params);
	return {
		visibility: "public",
		bulkhead: { enabled: false },
		...(isIdempotent(action) && { retryPolicy: repeatable }),
		async handler(ctx: RequestContext) {
			refuseLate(ctx.meta.deadline);
			const principal = admit(ctx.locals.principal, action.access ?? "user");
			const failures = check(ctx.params);
			if (failures.length > 0) throw new InvalidParametersError(failures);
			return refuseLargeResult(await handler(ctx.params, principal, ctx));
		},
	};
}

/** @throws {TimeoutError} when the caller has given up: the effect would surprise everybody. */
function refuseLate(deadline: number | undefined): void {
	if (isLate(deadline)) throw new TimeoutError("The request came too late");
}

/** Whether nobody waits for the answer any more. @param deadline Of {@link Meta}. */
export function isLate(deadline: number | undefined): boolean {
	return deadline !== undefined && now() > deadline + clockSkewMs;
}

/**
 * The principal, where it may use actions of this access; anonymous for nobody, where everybody may.
 * @throws {UnauthorizedError | ForbiddenError}
 */
export function admit(principal: Principal | undefined, access: Access): Principal {
	if (!principal) {
		if (access === "public") return anonymous;
		throw new UnauthorizedError();
	}
	if (!kinds[access].includes(principal.kind)) throw new ForbiddenError("This credential is not meant for this action");
	if (access === "admin" && !isAdmin(principal)) throw new ForbiddenError("Administrator role required");
	return principal;
}

/** A Moleculer event subscription. */
export function on<P>(
	event: Event<P>,
	handler: (payload: P, ctx: RequestContext) => Promise<void> | void,
): Record<string, EventSchema> {
	const check = compileSchema(event.payload);
	return {
		[event.name]: {
			handler: async (ctx: RequestContext) => {
				const failures = check(ctx.params);
				if (failures.length > 0) throw new InvalidParametersError(failures);
				await handler(ctx.params as P, ctx);
			},
		},
	};
}

/** A broker, or the context of the request being handled (keeps the trace and the principal). */
export interface Caller {
	call<R, P>(action: string, params: P, options?: CallingOptions): Promise<R>;
}

export interface Publisher {
	emit<P>(event: string, payload: P): Promise<void>;
	broadcast<P>(event: string, payload: P): Promise<void>;
}

export interface CallOptions {
	/** Travels with the call; a context adds its own. */
	meta?: Meta;
	/** Milliseconds; default the action's own `timeout`. */
	timeout?: number;
}

/**
 * Calls an action over the bus. Parameters are copied, as over the network, because validation fills in defaults
 * and removes unknown fields in place.
 * @throws {RequestTooLargeError}
 */
export async function call<I, R>(
	caller: Caller,
	action: Action<I, unknown, R>,
	params: NoInfer<I>,
	options: CallOptions = {},
): Promise<R> {
	refuseLargeRequest(params);
	return withValues(
		await caller.call<R, I>(action.name, params, { ...callingOptions(action, options), paramsCloning: true }),
	);
}

/**
 * Calls an action with parameters that belong to nobody else; the result, or the items of a page, may be
 * {@link JsonText}.
 * @throws {RequestTooLargeError}
 */
export function callForText(
	caller: Caller,
	action: AnyAction,
	params: Record<string, unknown>,
	options: CallOptions,
): Promise<unknown> {
	refuseLargeRequest(params);
	return caller.call(action.name, params, callingOptions(action, options));
}

function callingOptions(action: AnyAction, { meta, timeout = action.timeout }: CallOptions): CallingOptions {
	return { ...(meta && { meta }), ...(timeout !== undefined && { timeout }) };
}

/** Sends a hint to those its contract names. */
export function publish<P>(publisher: Publisher, event: Event<P>, payload: NoInfer<P>): Promise<void> {
	return event.delivery === "broadcast"
		? publisher.broadcast(event.name, payload)
		: publisher.emit(event.name, payload);
}
