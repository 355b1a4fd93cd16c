/** Describes an operation on the API page: what its contract says in words, and what follows from its declaration. Pure. */
import type { Access, AnyAction, Method } from "#shared/contracts/contract.ts";
import { type Right, rightFor } from "#shared/contracts/access/admission.ts";

/** The callers of each access; users need the right that follows, too. */
const callers: Readonly<Record<Exclude<Access, "system">, string>> = {
	public: "Anybody may call it; it needs no token.",
	user: "Users may call it, by a login or by a personal access token",
	login: "Users may call it by a login; personal access tokens are refused.",
	admin: "Administrators may call it, by a login or by a personal access token",
	session: "Users and the session's own pod may call it",
	pod: "Only the session's own pod may call it.",
};

/** The scope with which a personal access token has a right. */
const scopes: Readonly<Record<Right, string>> = { read: "read", write: "write", administer: "admin" };

/** Returns the text in Markdown. */
export function descriptionOf(action: AnyAction, method: Method): string {
	const { description, paged, text_form: form, access = "user", timeout } = action;
	const sentences = [
		description,
		access === "system" ? undefined : callerWords(access, action),
		paged && method === "GET"
			? "The answer is one page; the header `Link` names the next one, where there is one."
			: undefined,
		form && `With \`Accept: ${form.types[0]}\` the answer is the text of \`${form.member}\` alone.`,
		timeout !== undefined && `Its time limit is ${timeout / 1_000} s.`,
	];
	return sentences.filter((sentence) => typeof sentence === "string").join(" ");
}

function callerWords(access: Exclude<Access, "system">, action: AnyAction): string {
	const words = callers[access];
	return words.endsWith(".") ? words : `${words}; a token needs the scope \`${scopes[rightFor(action)]}\`.`;
}
