/**
 * Connects contracts with the framework; this is the only module that knows both.
 * @example
 * ```ts
 * export const clocksService = (reader: ClockReader): ServiceSchema => ({
 * 	name: clocks.name,
 * 	actions: implement(clocks, { read: ({ id }, principal) => reader.read(id, principal) }),
 * 	events: on(clockChanged, ({ id }) => reader.refresh(id)),
 * });
 *
 * const { at } = await call(ctx, clocks.actions.read, { id });
 * await publish(broker, clockChanged, { id });
 * ```
 */
import type { ActionSchema, CallingOptions, Context, EventSchema, ServiceSchema } from "moleculer";
import { admit } from "#shared/contracts/access/admission.ts";
import { type Actor, actingAs } from "#shared/base/actor.ts";
import { makingRoom } from "#shared/base/files/making-room.ts";
import { InvalidParametersError, TimeoutError } from "#shared/base/errors.ts";
import { isLate } from "#shared/base/clock.ts";
import {
	type Action,
	type AnyAction,
	type Contract,
	type Event,
	isIdempotent,
	makesRoom,
	routesOf,
} from "#shared/contracts/contract.ts";
import { type JsonText, withValues } from "#shared/base/schema/json-text.ts";
import { isPerson, type Principal } from "#shared/base/principal.ts";
import { refuseLargeRequest, refuseLargeResult } from "./message-size.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import type { VouchedPrincipal } from "./vouched-principal.ts";

/** The metadata that travels with a call. The principal is the only credential in it. */
export interface Meta {
	/** The verified caller; absent for anonymous calls. */
	principal?: VouchedPrincipal;
	request_id?: string;
	/** The time, in milliseconds since 1970, after which nobody waits for the answer any more. */
	deadline?: number;
	/** The client's `Idempotency-Key` header; absent when it sent none. */
	idempotency_key?: string;
	/** The client's `If-None-Match` header; absent when it sent none. */
	if_none_match?: string;
	/** The caller's own token, for actions with `passes_token`; absent when the caller sent none. */
	subject_token?: string;
	/** A digest that tells browsers apart, for actions with `browser`; absent when the browser has no mark. */
	browser?: string;
	/** The client's address, as the gateway saw it; the audit log shows it. */
	address?: string;
	/** Sentences about parts of the client's request that were ignored, at most 11; absent when nothing was. */
	warnings?: readonly string[];
}

/** The principal middleware sets these members; a caller never does. */
interface Locals {
	principal?: Principal;
}

export type RequestContext = Context<unknown, Meta, Locals>;

/** A handler may answer with JSON text when it has the result in that form already. */
type Handler<A> =
	A extends Action<unknown, infer P, infer R>
		? (params: P, principal: Principal, ctx: RequestContext) => Promise<Answered<R>>
		: never;
type Answered<R> = R | JsonText | (R extends { items: unknown } ? Omit<R, "items"> & { items: JsonText } : never);
type AnyHandler = (params: unknown, principal: Principal, ctx: RequestContext) => Promise<unknown>;

/** The retry middleware of the bus reads this: calls of idempotent actions are repeated after 50 to 400 ms. */
const repeatable = { enabled: true, retries: 2, delay: 50, maxDelay: 400, factor: 2 };

/** Returns the Moleculer actions of a contract; a missing or an additional handler does not compile. */
export function implement<A extends Record<string, AnyAction>>(
	contract: Contract<A>,
	handlers: { [K in keyof A]: Handler<A[K]> },
): Record<string, ActionSchema> {
	return Object.fromEntries(
		Object.entries(contract.actions).map(([key, action]) => [key, actionSchema(action, handlers[key] as AnyHandler)]),
	);
}

/** Returns the service of a contract that has its actions and nothing else. */
export function serviceOf<A extends Record<string, AnyAction>>(
	contract: Contract<A>,
	handlers: Parameters<typeof implement<A>>[1],
): ServiceSchema {
	return { name: contract.name, actions: implement(contract, handlers) };
}

function actionSchema(action: AnyAction, handler: AnyHandler): ActionSchema {
	const check = compileSchema(action.params);
	const withRoom = makesRoom(action) ? makingRoom : <T>(work: () => T): T => work();
	const isRead = routesOf(action).some((route) => route.startsWith("GET "));
	return {
		visibility: "public",
		bulkhead: { enabled: false },
		...(isIdempotent(action) && { retryPolicy: repeatable }),
		async handler(ctx: RequestContext) {
			refuseLate(ctx.meta.deadline);
			const principal = admit(ctx.locals.principal, action);
			const failures = check(ctx.params);
			if (failures.length > 0) throw new InvalidParametersError(failures);
			const actor = isPerson(principal) ? { principal, action: action.name, isRead, ...originOf(ctx.meta) } : undefined;
			return refuseLargeResult(await withRoom(() => actingAs(actor, () => handler(ctx.params, principal, ctx))));
		},
	};
}

function originOf({ request_id, address }: Meta): Pick<Actor, "request_id" | "address"> {
	return { request_id, address };
}

/** Refuses a request whose caller has stopped waiting, because nobody would expect its effect. @throws {TimeoutError} */
function refuseLate(deadline: number | undefined): void {
	if (isLate(deadline)) throw new TimeoutError("The request came too late");
}

/** Returns a Moleculer event subscription; payloads that do not fit the event's schema are refused. */
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

/**
 * The object that sends calls: a broker, or the context of the request under way, which passes on the trace and the
 * principal.
 */
export interface Caller {
	call<R, P>(action: string, params: P, options?: CallingOptions): Promise<R>;
}

/** The object that sends events to all their receivers: a broker or a request's context. */
export interface Publisher {
	broadcast<P>(event: string, payload: P): Promise<void>;
}

export interface CallOptions {
	/** The metadata of the call; a request's context adds its own. */
	meta?: Meta;
	/** The timeout in milliseconds; default: the action's own `timeout`. */
	timeout?: number;
}

/**
 * Calls an action over the bus. The parameters are copied, as they would be over the network, because validation fills
 * in defaults and removes unknown fields in place.
 * @throws {RequestTooLargeError}; any {ServiceError} of the action.
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
 * Calls an action without copying the parameters, which the caller must not use afterwards. The result, or the items of
 * a page, may be {@link JsonText}.
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

export function publish<P>(publisher: Publisher, event: Event<P>, payload: NoInfer<P>): Promise<void> {
	return publisher.broadcast(event.name, payload);
}
