/**
 * Recognises a browser by a cookie with a random value. It identifies nobody: an action compares whether the browser of
 * two requests is the same one (docs/decisions/0067).
 */
import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** How long a browser keeps its mark, in seconds. */
const keptSeconds = 600;

const valueForm = /^[\w-]{43}$/;

interface BrowserMark {
	/** The digest of the mark; absent when the browser has none. */
	readonly browser?: string;
	/** Alternating names and values of headers for the answer. */
	readonly headers: readonly string[];
}

export class BrowserMarks {
	readonly #name: string;
	readonly #attributes: string;

	/**
	 * @param isSecure Whether browsers reach the gateway by https. Only then no page of a neighbouring host can set the
	 * cookie (the prefix `__Host-`).
	 */
	constructor(isSecure: boolean) {
		this.#name = isSecure ? "__Host-atelier_browser" : "atelier_browser";
		// A redirect from another site is a navigation, for which browsers send cookies with `Lax` and not with `Strict`.
		this.#attributes = `; Path=/; Max-Age=${keptSeconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
	}

	read({ cookie = "" }: IncomingHttpHeaders): BrowserMark {
		const value = this.#valueIn(cookie);
		return { headers: [], ...(value !== undefined && { browser: digest(value) }) };
	}

	/** Returns the mark of a request's browser; one without a mark gets one by the answer. */
	mark({ cookie = "" }: IncomingHttpHeaders): BrowserMark {
		const value = this.#valueIn(cookie) ?? randomBytes(32).toString("base64url");
		return { browser: digest(value), headers: ["Set-Cookie", `${this.#name}=${value}${this.#attributes}`] };
	}

	#valueIn(cookie: string): string | undefined {
		const pairs = cookie.split(";").map((pair) => pair.trim());
		const own = pairs.find((pair) => pair.startsWith(`${this.#name}=`));
		const value = own?.slice(this.#name.length + 1) ?? "";
		return valueForm.test(value) ? value : undefined;
	}
}

function digest(value: string): string {
	return createHash("sha256").update(value).digest("base64url");
}
