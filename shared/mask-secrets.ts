/** Values of the configuration as people and logs may see them. */

const mask = "***";
const secretName = /secret|token|password|passwd|api_?key|installation_key|private_?key/i;

/** A copy in which secret values and the user part of URLs are masked; names of environment variables stay. */
export function maskSecrets(value: unknown, name = ""): unknown {
	if (name === "secret_kwargs_env") return value;
	if (Array.isArray(value)) return value.map((item) => maskSecrets(item, name));
	if (typeof value === "object" && value !== null) {
		return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskSecrets(item, key)]));
	}
	if (typeof value !== "string" || value === "") return value;
	return secretName.test(name) ? mask : value.replaceAll(/(?<!\w)(\w+:\/\/)[^/@]+@/g, `$1${mask}@`);
}
