/**
 * The options for the connection to NATS: addresses, encryption and credentials. Credentials in the URL are used where
 * the separate configuration keys are not set.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as Nats from "nats";
import type { BusConfig } from "../../config/config.ts";
import { ConfigError } from "../../config/config.ts";

/**
 * Returns options with which the client reconnects for ever and notices a frozen server within ten seconds.
 * @throws {ConfigError} when a file cannot be read, or the keys contradict each other.
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

/**
 * Refuses URLs with a path, a query or a fragment: a password with an unescaped delimiter would turn the user name into
 * the host. @throws {ConfigError}
 */
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

/** Makes the error without the value, which may hold a password in any of its parts. */
function noServer(): ConfigError {
	return new ConfigError(
		'Configuration key "bus.url" has to name servers as nats://host:port or nats://user:password@host:port, with commas between them; a password with other characters than letters and digits is percent-encoded, or stands in bus.password',
	);
}

/**
 * Returns the TLS options. A mixture of encrypted and plain URLs is refused, so that a typing error never disables
 * encryption.
 */
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
	// The client is loaded only in installations with a bus.
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
