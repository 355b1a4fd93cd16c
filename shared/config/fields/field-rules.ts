/** The rules that many keys of the configuration have. */
import type { Schema } from "#shared/base/schema/schema.ts";

/** A text that is empty by default. */
export const text = { type: "string", default: "" } as const;
export const whole = { type: "number", integer: true } as const;
export const port = { ...whole, min: 0, max: 65_535 } as const;
export const textMap = { type: "record", key: { type: "string" }, value: { type: "string" }, default: {} } as const;
export const freeForm = { type: "record", key: { type: "string" }, value: { type: "any" }, default: {} } as const;
/** A switch that is off by default. */
export const flag = { type: "boolean", default: false } as const;

/** Returns the rule of a section with these keys. */
export function section<const P extends Schema>(props: P) {
	return { type: "object", props } as const;
}
