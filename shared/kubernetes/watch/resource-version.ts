/** Compares the versions of objects: decimal numbers of any length, of which a later one is higher (Kubernetes 1.35; etcd before). */
import { noAnswer } from "../api/api-error.ts";

const decimal = /^[1-9][0-9]{0,39}$/;

/** Returns the version that an answer has. @throws {ApiError} `AnswerUnreadable` for anything else. */
export function checkedVersion(value: unknown): string {
	if (typeof value === "string" && decimal.test(value)) return value;
	throw noAnswer("AnswerUnreadable", "The cluster's API has answered a version that is no number");
}

/** Whether the first version is later than the second one. */
export function isLater(one: string, other: string): boolean {
	return one.length === other.length ? one > other : one.length > other.length;
}
