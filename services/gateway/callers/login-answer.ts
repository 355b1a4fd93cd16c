/** `/?token=…`: a browser shows the platform's token once, gets a cookie for it, and goes on at a URL without it. */
import type { IncomingMessage } from "node:http";
import type { Answer } from "../http/answer.ts";
import { HttpError } from "../http/http-errors.ts";
import type { BrowserLogin } from "./identity-provider.ts";

const firstPage = "/docs";

const wrong = new HttpError(401, "This is not the platform's token: it is printed at its start");

/** Undefined: the request is none of these. @throws {HttpError} 401 */
export function loginAnswer({ method, url = "" }: IncomingMessage, login: BrowserLogin): Answer | undefined {
	if (method !== "GET" || !url.startsWith("/?")) return undefined;
	const token = new URLSearchParams(url.slice(2)).get("token");
	if (token === null) return undefined;
	const cookie = login.cookieFor(token);
	if (cookie === undefined) throw wrong;
	return { status: 303, headers: ["Location", firstPage, "Set-Cookie", cookie] };
}
