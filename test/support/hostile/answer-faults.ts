/** Checks an answer to any request: its status, its body, and the secrets it reveals. */
import type { Action } from "#shared/contracts/contract.ts";
import { compileRule, compileSchema } from "#shared/base/schema/validator.ts";
import type { ActionRoute } from "#services/gateway/routes/action-route.ts";
import type { RawAnswer } from "../clients/raw-http.ts";

const detailText = compileSchema({ detail: { type: "string" } });
const detailList = compileSchema({
	detail: {
		type: "array",
		min: 1,
		items: {
			type: "object",
			props: {
				type: { type: "string" },
				loc: { type: "array", items: { type: "any" } },
				msg: { type: "string" },
			},
		},
	},
});

/** The refusal of a credential (contract, credential check). */
const detailErrors = compileSchema({
	detail: { type: "object", props: { errors: { type: "array", min: 1, items: { type: "string" } } } },
});

/** Patterns of internal details: a line of a stack, a file of a program, names of the store. */
const innards = [/\n\s+at .*:\d+/, /\.[cm]?[jt]s:\d+/, /node_modules|node:internal/, /SQLITE_|MongoServerError/];

/** Returns sentences about faults. @param secrets Texts that no answer may contain: paths and canaries. */
export function answerFaults(route: ActionRoute, answer: RawAnswer, secrets: readonly string[]): string[] {
	const { status } = answer;
	const faults = givenAway(answer, secrets);
	if (status >= 500 && ![502, 503, 504].includes(status)) faults.push(`status ${status}`);
	const wrong = status >= 400 ? !isRefusal(answer) : !isSuccess(route, answer);
	if (wrong) faults.push(`a body that no schema knows (${status})`);
	return faults;
}

/** Returns the internal details and secrets that the answer with its head reveals. */
export function givenAway({ text, headers }: RawAnswer, secrets: readonly string[]): string[] {
	const all = `${Object.values(headers).join("\n")}\n${text}`;
	return [
		...(secrets.some((secret) => all.includes(secret)) ? ["a secret"] : []),
		...(innards.some((pattern) => pattern.test(all)) ? ["innards"] : []),
	];
}

function isRefusal({ status, text, headers }: RawAnswer): boolean {
	// Node answers itself when it cannot parse the head of a request; the platform has not seen the request then.
	if ([400, 417, 431].includes(status) && headers["content-type"] === undefined) return text === "";
	if (detailText(parsed(text)).length === 0) return true;
	return status === 422 && [detailList, detailErrors].some((check) => check(parsed(text)).length === 0);
}

function isSuccess({ action, status }: ActionRoute, answer: RawAnswer): boolean {
	if (answer.status === 307) return true;
	// A result that may be null is no content then.
	if (answer.status === 204 && action.returns?.nullable) return answer.text === "";
	if (answer.status !== status) return false;
	if (action.produces !== undefined) return answer.headers["content-type"]?.startsWith(action.produces) ?? false;
	if (!action.returns) return answer.text === "";
	return compileRule(resultOf(action))(parsed(answer.text)).length === 0;
}

function resultOf({
	returns,
	paged,
	wrapped,
	warned,
}: Pick<Action<unknown, unknown, unknown>, "returns" | "paged" | "wrapped" | "warned">) {
	const member = paged ? "items" : warned;
	const items =
		(member !== undefined && returns?.type === "object" ? returns.props[member] : returns) ??
		({ type: "any" } as const);
	return wrapped === undefined ? items : ({ type: "object", props: { [wrapped]: items } } as const);
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
