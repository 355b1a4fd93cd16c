/** The forms of members that git hosts' answers share, and the readers of their answers. */
import type { Schema } from "#shared/base/schema/schema.ts";
import { listReader, type Reader } from "#shared/net/outbound/provider-client.ts";

export const text = { type: "string", max: 10_000 } as const;
/** A commit message or a description. */
export const long = { type: "string", max: 1_100_000 } as const;
export const page = { type: "string", max: 4_000, pattern: "^https?://" } as const;
export const sha = { type: "string", pattern: "^[0-9a-f]{40,64}$" } as const;
export const time = { type: "string", max: 40 } as const;
export const count = { type: "number", integer: true, min: 0, max: Number.MAX_SAFE_INTEGER } as const;
export const absent = { optional: true, nullable: true } as const;
export const flag = { type: "boolean", ...absent } as const;

/** The most items of a page that are read. GitHub and GitLab send at most 100, and Gitea 50 unless it is configured otherwise. */
export const mostOfPage = 100;

export function pageReader<const S extends Schema>(props: S) {
	return listReader({ type: "object", props }, mostOfPage);
}

/** Returns a reader of the same values that makes something of the platform of them. */
export function readAs<I, T>(read: Reader<I>, become: (value: I) => T): Reader<T> {
	return (value, ask) => become(read(value, ask));
}

/** Returns a reader of the same lists that makes something of the platform of each item. */
export function readEachAs<I, T>(read: Reader<I[]>, become: (item: I) => T): Reader<T[]> {
	return (value, ask) => read(value, ask).map(become);
}

/** Returns a reader of objects that reads the list in one of their members. */
export function readIn<T>(member: string, read: Reader<T[]>): Reader<T[]> {
	return (value, ask) => read(typeof value === "object" && value && Reflect.get(value, member), ask);
}

export function orNull(value: string | null | undefined): string | null {
	return value ?? null;
}
