/**
 * Answers `/?token=…`: a browser sends the platform's token once, gets a cookie for it and is redirected to a URL
 * without the token.
 */
import type { IncomingMessage } from "node:http";
import type { Answer } from "../http/answer.ts";
import { HttpError } from "../http/http-errors.ts";
import type { BrowserLogin } from "./identity-provider.ts";

const firstPage = "/docs";

const wrong = new HttpError(401, "This is not the platform's token: it is printed at its start");

/** Returns the answer; undefined when the request is no login. @throws {HttpError} 401 */
export function loginAnswer(
	{ method, url = "" }: Pick<IncomingMessage, "method" | "url">,
	login: Pick<BrowserLogin, "cookieFor">,
): Answer | undefined {
	if (method !== "GET" || !url.startsWith("/?")) return undefined;
	const token = new URLSearchParams(url.slice(2)).get("token");
	if (token === null) return undefined;
	const cookie = login.cookieFor(token);
	if (cookie === undefined) throw wrong;
	return { status: 303, headers: ["Location", firstPage, "Set-Cookie", cookie] };
}
