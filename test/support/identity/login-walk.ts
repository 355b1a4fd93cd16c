/** Walks through a login at a real provider like a browser: it follows redirects, keeps cookies and fills in forms. */

/** One request of a login. */
interface Step {
	readonly url: URL;
	/** The filled-in form that is sent. */
	readonly form?: Record<string, string>;
}

/** The steps of a login: requests, redirects and two forms. */
const maxSteps = 15;

/**
 * Returns the address to which the provider redirects the browser in the end.
 * @param start The address at which the login begins.
 * @param name The person, who agrees to everything.
 * @param back The beginning of that address.
 */
export async function walkLogin(start: URL, name: string, back: string): Promise<URL> {
	const cookies = new Map<string, string>();
	let next: Step = { url: start };
	for (let step = 0; step < maxSteps; step++) {
		next = await take(next, cookies, name);
		if (next.url.href.startsWith(back)) return next.url;
	}
	throw new Error(`The login of ${name} did not end`);
}

async function take({ url, form }: Step, cookies: Map<string, string>, name: string): Promise<Step> {
	const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join("; ");
	const sent = form && { method: "POST", body: new URLSearchParams(form) };
	const answer = await fetch(url, { redirect: "manual", headers: { cookie }, ...sent });
	keepCookies(cookies, answer.headers);
	const text = await answer.text();
	const location = answer.headers.get("location");
	if (location !== null) return { url: new URL(location, url) };
	const prompt = found(/name="prompt" value="([^"]+)"/, text);
	const credentials = prompt === "login" && { login: name, password: "any" };
	return { url: new URL(found(/action="([^"]+)"/, text), url), form: { prompt, ...credentials } };
}

function keepCookies(cookies: Map<string, string>, headers: Headers): void {
	for (const set of headers.getSetCookie()) {
		const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
		cookies.set(key, value);
	}
}

function found(pattern: RegExp, text: string): string {
	return pattern.exec(text)?.[1] ?? "";
}
