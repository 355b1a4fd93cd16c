/** The rules of members that many contracts have. */
export const text = { type: "string" } as const;
export const nullableText = { ...text, nullable: true } as const;
export const texts = { type: "array", items: text } as const;
/** Texts by name. */
export const textMap = { type: "record", key: text, value: text } as const;
/** An object with any members. */
export const freeForm = { type: "record", key: text, value: { type: "any" } } as const;
export const time = { type: "string", format: "date-time" } as const;
export const nullableTime = { ...time, nullable: true } as const;
export const count = { type: "number", integer: true, min: 0 } as const;
/** A count whose sums stay exact, also those of many. */
export const summableCount = { ...count, max: 1_000_000_000_000 } as const;
/** US dollars. */
export const dollars = { type: "number", min: 0 } as const;
/** Marks a member that may be absent or null; in a change both leave the stored value as it is, unless it says otherwise. */
export const absentOrNull = { optional: true, nullable: true } as const;
export const sessionId = { session_id: { type: "uuid" } } as const;
/** A person in the calls of one service to another. */
export const person = { tenant: { ...text, max: 1_000 }, owner: { ...text, max: 1_000 } } as const;
