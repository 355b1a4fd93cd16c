/** Reads the arguments of adapters for Vault and OpenBao. */
import type { KubernetesLogin } from "./vault-login.ts";
import type { VaultPlace } from "./vault-requests.ts";

export interface VaultOptions {
	/** The URL of the server, such as `https://vault.example.org:8200`. */
	readonly url?: string;
	/** The mount of key/value secrets of version 2; default `secret`. */
	readonly mount?: string;
	/** The namespace; default: the root. */
	readonly namespace?: string;
	/** A token; absent: a login with the account of the process's pod. */
	readonly token?: string;
	/** The role of that login; default `atelier-credentials`. */
	readonly role?: string;
	/** The mount of the auth method `kubernetes`; default `kubernetes`. */
	readonly auth_mount?: string;
	/** The file with the token of the account. */
	readonly token_file?: string;
}

interface VaultSettings {
	readonly place: VaultPlace;
	readonly mount: string;
	readonly login: string | KubernetesLogin;
}

/** No part of it is `.` or `..`, which would lead to another path. */
const mountForm = /^(?!\.{1,2}(\/|$))[\w.-]{1,128}(\/(?!\.{1,2}(\/|$))[\w.-]{1,128}){0,7}$/;
/** The manifests of the platform mount a token for the audience `vault` there. */
const accountToken = "/var/run/secrets/vault/token";

/** @throws {RangeError} with a sentence for the operator. */
export function vaultSettings({ url = "", mount = "secret", namespace = "", ...login }: VaultOptions): VaultSettings {
	const place = { url: originOf(url), namespace };
	return { place, mount: mountOf("mount", mount), login: loginOf(login) };
}

function loginOf({
	token = "",
	role = "atelier-credentials",
	auth_mount = "kubernetes",
	token_file = accountToken,
}: VaultOptions): string | KubernetesLogin {
	return token === "" ? { mount: mountOf("auth_mount", auth_mount), role, tokenFile: token_file } : token;
}

function mountOf(name: string, value: string): string {
	if (mountForm.test(value)) return value;
	throw new RangeError(`"${name}" has to be the path of a mount, such as "secret"`);
}

/** Tokens and secrets travel there: only a server of this machine may be without TLS. */
function originOf(text: string): string {
	const url = URL.parse(text);
	const isLocal = url !== null && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
	if (url === null || !(url.protocol === "https:" || (url.protocol === "http:" && isLocal)))
		throw new RangeError('"url" has to be the URL of the server with https, such as "https://vault.example.org:8200"');
	if (url.pathname !== "/" || url.search !== "" || url.username !== "")
		throw new RangeError('"url" has to have no path, no query and no user');
	return url.origin;
}
