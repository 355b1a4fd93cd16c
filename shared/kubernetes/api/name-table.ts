/** Asks for the names of objects alone, whatever somebody has filled the objects with (Kubernetes API concepts, "Receiving resources as Tables"). */
import { noAnswer } from "./api-error.ts";
import type { KubeList } from "./kube-object.ts";

/** The form of the answer, and the words by which its rows have no objects. */
export const nameTable = {
	accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
	words: { includeObject: "None" },
} as const;

interface Table {
	readonly kind?: unknown;
	readonly metadata?: KubeList["metadata"];
	readonly columnDefinitions?: readonly { readonly name?: unknown }[] | null;
	readonly rows?: readonly { readonly cells?: readonly unknown[] }[] | null;
}

/** Returns the page as a list of objects that have nothing but their names. @throws {ApiError} `AnswerUnreadable` for what is no table. */
export function listOfNames({ kind, metadata = {}, columnDefinitions, rows }: Table): KubeList {
	const column = columnDefinitions?.findIndex(({ name }) => name === "Name") ?? -1;
	if (kind !== "Table" || column < 0)
		throw noAnswer("AnswerUnreadable", "The cluster's API has answered no table of names");
	const names = (rows ?? []).map(({ cells }) => cells?.[column]);
	return { metadata, items: names.map((name) => ({ metadata: { name: String(name) } })) };
}
