/** Masks secrets in values of the configuration for people and logs. */
import { maskedValues } from "#shared/base/secrets/masked-values.ts";

const mask = "***";
const secretName = /secret|token|password|passwd|api_?key|installation_key|private_?key/i;

const nextUrl = /,(?=\w+:\/\/)/;

/** Returns a copy with masked secret values and masked user parts of URLs; names of environment variables stay. */
export function maskSecrets(value: unknown, name = ""): unknown {
	if (name === "secret_kwargs_env") return value;
	if (isTokenMap(name)) return maskedMap(value);
	if (Array.isArray(value)) return value.map((item) => maskSecrets(item, name));
	if (typeof value === "object" && value !== null) {
		return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskSecrets(item, key)]));
	}
	return typeof value === "string" ? maskedText(value, name) : value;
}

function maskedText(text: string, name: string): string {
	if (text === "") return text;
	return secretName.test(name) ? mask : text.split(nextUrl).map(withoutUser).join(",");
}

/**
 * Masks the text before the last `@`, which may be a password even when the URL is malformed, because people forget to
 * encode `/` and `@`.
 */
function withoutUser(text: string): string {
	const scheme = text.indexOf("://");
	const start = scheme === -1 ? 0 : scheme + 3;
	const end = text.lastIndexOf("@");
	const hasUser = end > start && (scheme !== -1 || text.slice(0, end).includes(":"));
	return hasUser ? `${text.slice(0, start)}${mask}${text.slice(end)}` : text;
}

/** Whether this member is a map whose values often are tokens, e.g. of an MCP server. */
export function isTokenMap(name: string): boolean {
	return name === "env" || name === "headers";
}

function maskedMap(value: unknown): unknown {
	return typeof value === "object" ? maskedValues(value) : mask;
}
