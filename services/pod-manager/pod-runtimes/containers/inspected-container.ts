/** The part of the engine's `inspect` that the platform reads. An engine is trusted to speak of its own containers. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const number = { type: "number" } as const;

const inspected = schema({
	Id: text,
	/** The name with a leading slash. */
	Name: text,
	/** The time of its creation in the form of RFC 3339. */
	Created: text,
	State: {
		type: "object",
		props: {
			/** `created`, `running`, `paused`, `restarting`, `removing`, `exited` or `dead`. */
			Status: text,
			OOMKilled: flag,
			ExitCode: number,
			/** Why it could not be started; empty otherwise. */
			Error: text,
			/** The times in the form of RFC 3339; the year 1 before they have come. */
			StartedAt: text,
			FinishedAt: text,
		},
	},
	Config: {
		type: "object",
		props: {
			Labels: { type: "record", key: text, value: text, nullable: true },
			Entrypoint: { type: "array", items: text, nullable: true, optional: true },
		},
	},
	/** Its mounts; absent where an engine does not tell them. */
	Mounts: {
		type: "array",
		items: { type: "object", props: { Source: { ...text, optional: true } } },
		optional: true,
	},
});
export type InspectedContainer = Output<typeof inspected>;

const check = compileSchema(inspected);

/** @throws {Error} when the engine answers something else. */
export function inspectedContainer(answer: unknown): InspectedContainer {
	if (isInspected(answer)) return answer;
	throw new Error("The container engine describes a container in a form that is not known");
}

function isInspected(answer: unknown): answer is InspectedContainer {
	return answer instanceof Object && check(answer).length === 0;
}
