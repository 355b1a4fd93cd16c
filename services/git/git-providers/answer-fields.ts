/** The forms of members that git hosts' answers share, and the reader of a page of a list. */
import type { Schema } from "#shared/base/schema/schema.ts";
import { listReader } from "#shared/net/outbound/provider-client.ts";

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
