/** The status of a custom resource with a template: the condition `Accepted`, by which people see whether it is offered. Pure. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { oneLine } from "#shared/base/one-line.ts";

/** A condition (Kubernetes API conventions, "Typical status properties"). */
interface Condition {
	readonly type: string;
	readonly [member: string]: unknown;
}

/** The status that an object has. */
export interface ToldStatus {
	readonly observedGeneration: number | undefined;
	/** All conditions; those of other types belong to others. */
	readonly conditions: readonly Condition[];
}

/** The answer of the platform about a generation of an object. */
export interface Acceptance {
	readonly generation: number;
	readonly isAccepted: boolean;
	/** A word in CamelCase. */
	readonly reason: string;
	readonly message: string;
}

const type = "Accepted";
/** The form of the custom resource allows more. */
const maxMessage = 1_000;

export function toldStatus(status: unknown): ToldStatus {
	const { observedGeneration, conditions } = isJsonObject(status) ? status : {};
	const all: unknown[] = Array.isArray(conditions) ? conditions : [];
	return {
		observedGeneration: typeof observedGeneration === "number" ? observedGeneration : undefined,
		conditions: all.filter((one): one is Condition => isJsonObject(one) && typeof one["type"] === "string"),
	};
}

/** Whether the status says just this. */
export function isTold({ observedGeneration, conditions }: ToldStatus, acceptance: Acceptance): boolean {
	const { generation } = acceptance;
	const wanted = Object.entries({ ...membersOf(acceptance), observedGeneration: generation });
	const has = accepted(conditions);
	return observedGeneration === generation && wanted.every(([member, value]) => has?.[member] === value);
}

/** Returns the status that says it. @param at The time, in milliseconds since 1970. */
export function statusOf({ conditions }: ToldStatus, acceptance: Acceptance, at: number) {
	const former = accepted(conditions);
	const members = membersOf(acceptance);
	const hasChanged = former?.["status"] !== members.status || typeof former["lastTransitionTime"] !== "string";
	const lastTransitionTime = hasChanged ? timeOf(at) : former["lastTransitionTime"];
	const own = { type, observedGeneration: acceptance.generation, lastTransitionTime, ...members };
	const others = conditions.filter((one) => one.type !== type);
	return { observedGeneration: acceptance.generation, conditions: [...others, own] };
}

function accepted(conditions: readonly Condition[]): Condition | undefined {
	return conditions.find((one) => one.type === type);
}

function membersOf({ isAccepted, reason, message }: Acceptance) {
	return { status: isAccepted ? "True" : "False", reason, message: oneLine(message, maxMessage) };
}

/** The times of the cluster have whole seconds. */
function timeOf(at: number): string {
	return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
