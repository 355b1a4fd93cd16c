/** Values of the configuration as people and logs may see them. */

const mask = "***";
const secretName = /secret|token|password|passwd|api_?key|installation_key|private_?key/i;

/** Where the next URL of a list begins. */
const nextUrl = /,(?=\w+:\/\/)/;

/** A copy in which secret values and the user part of URLs are masked; names of environment variables stay. */
export function maskSecrets(value: unknown, name = ""): unknown {
	if (name === "secret_kwargs_env") return value;
	if (Array.isArray(value)) return value.map((item) => maskSecrets(item, name));
	if (typeof value === "object" && value !== null) {
		return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskSecrets(item, key)]));
	}
	if (typeof value !== "string" || value === "") return value;
	return secretName.test(name) ? mask : value.split(nextUrl).map(withoutUser).join(",");
}

/** What stands before the last `@` is a password, also where a URL with it is none: people forget to encode `/` and `@`. */
function withoutUser(text: string): string {
	const scheme = text.indexOf("://");
	const start = scheme === -1 ? 0 : scheme + 3;
	const end = text.lastIndexOf("@");
	const hasUser = end > start && (scheme !== -1 || text.slice(0, end).includes(":"));
	return hasUser ? `${text.slice(0, start)}${mask}${text.slice(end)}` : text;
}
