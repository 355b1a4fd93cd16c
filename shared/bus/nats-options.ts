/** How the bus reaches NATS: where, over what, as whom. Credentials in the URL count like those of the keys beside it. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as Nats from "nats";
import type { BusConfig } from "../config/config.ts";
import { ConfigError } from "../config/config.ts";

/**
 * Reconnects for ever and notices a frozen server within ten seconds.
 * @throws {ConfigError} when a file cannot be read, or keys do not fit together.
 */
export function natsOptions(bus: BusConfig): Nats.ConnectionOptions {
	const urls = bus.url.split(",").map(serverUrl);
	const [{ username, password } = { username: "", password: "" }] = urls;
	const user = bus.user ?? decoded(username);
	const pass = bus.password ?? decoded(password);
	return {
		servers: urls.map(({ host }) => host),
		...(user !== "" && { user }),
		...(pass !== "" && { pass }),
		...(bus.token !== undefined && { token: bus.token }),
		...(bus.credentials_file !== undefined && { authenticator: authenticator(bus.credentials_file) }),
		...tlsOf(bus, urls),
		maxReconnectAttempts: -1,
		reconnectTimeWait: 250,
		reconnectJitter: 250,
		pingInterval: 5_000,
		maxPingOut: 2,
		ignoreAuthErrorAbort: true,
	};
}

/** A password with a letter that ends it too early makes another host of the user's name. @throws {ConfigError} */
function serverUrl(text: string): URL {
	const url = URL.parse(text);
	if (!url || url.hostname === "" || url.pathname.length > 1 || url.search !== "" || url.hash !== "") throw noServer();
	return url;
}

/** @throws {ConfigError} */
function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		throw noServer();
	}
}

/** Without the value, as there may be a password in it, and not where one is looked for. */
function noServer(): ConfigError {
	return new ConfigError(
		'Configuration key "bus.url" has to name servers as nats://host:port or nats://user:password@host:port, with commas between them; a password with other characters than letters and digits is percent-encoded, or stands in bus.password',
	);
}

/** What is meant to be encrypted never goes in plain text because a letter is missing in the URL. */
function tlsOf({ ca_file, cert_file, key_file }: BusConfig, urls: readonly URL[]): Nats.ConnectionOptions {
	const encrypted = urls.filter(({ protocol }) => protocol === "tls:").length;
	const files = {
		...(ca_file !== undefined && { caFile: ca_file }),
		...(cert_file !== undefined && { certFile: cert_file }),
		...(key_file !== undefined && { keyFile: key_file }),
	};
	if (encrypted === 0 && Object.keys(files).length === 0) return {};
	if (encrypted < urls.length) {
		throw new ConfigError(
			'Configuration key "bus.url" has to begin with tls://, and so has every server in it, where one does or a certificate is named',
		);
	}
	for (const file of Object.values(files)) read(file);
	return { tls: files };
}

/** A `.creds` file holds a token beside its key; otherwise the file is the seed of an NKey. */
function authenticator(file: string): Nats.Authenticator {
	const content = read(file);
	// The client is loaded where there is a bus only.
	const nats = createRequire(import.meta.url)("nats") as typeof Nats;
	return content.includes("BEGIN NATS USER JWT")
		? nats.credsAuthenticator(content)
		: nats.nkeyAuthenticator(Buffer.from(content.toString("utf8").trim()));
}

function read(file: string): Buffer {
	try {
		return readFileSync(file);
	} catch (error) {
		throw new ConfigError(`Cannot read "${file}", which the bus needs: ${(error as Error).message}`);
	}
}
