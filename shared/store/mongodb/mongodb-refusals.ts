/** Says in a sentence why a MongoDB server refuses this client at all, where its url or its user is wrong (docs/mongodb.md). */
import { type MongoError, MongoServerError } from "mongodb";

/** The codes of MongoDB for a user that is unknown or whose password is wrong, and for one without the permission. */
const authenticationFailed = 18;
const unauthorized = 13;

/** Node's codes of certificates that do not hold (nodejs.org/api/tls.html, "X509 certificate error codes"), and for a wrong host. */
const certificate = /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_|INVALID_CA$|HOSTNAME_MISMATCH$)/;
const maxDepth = 6;

/** Returns the sentence, which repeats neither the url nor what the server said. @param otherwise The sentence for any other failure. */
export function refusalSentence(error: MongoError, otherwise: string): string {
	const causes = causesOf(error);
	const served = causes.filter((cause) => cause instanceof MongoServerError);
	if (served.some(({ code }) => code === authenticationFailed)) {
		return 'The document store refuses the user or the password of its url; a user of the database "admin" needs authSource=admin there';
	}
	const denied = served.find(({ code }) => code === unauthorized);
	if (denied)
		return `The document store does not let this user use ${databaseOf(denied.message)}; its user needs the role readWrite`;
	const codes = causes.map((cause) => ("code" in cause ? String(cause.code) : ""));
	const untrusted = codes.find((code) => certificate.test(code));
	if (untrusted)
		return `The certificate of the document store is not trusted: ${untrusted}; tlsCAFile in its url names its authority`;
	if (error.name === "MongoServerSelectionError" && causes.some(({ message }) => message.endsWith(" closed"))) {
		return "The document store closes connections at once; it may want TLS, which tls=true in its url asks for";
	}
	return otherwise;
}

function databaseOf(message: string): string {
	const [, database] = /^not authorized on (\S{1,64}) to /.exec(message) ?? [];
	return database === undefined ? "its database" : `the database "${database}"`;
}

/** Returns the error, what caused it, and what each server of a set that could not be reached said last. */
export function causesOf(error: Error, depth = 0): Error[] {
	if (depth > maxDepth) return [];
	const { servers } = topologyOf(error);
	const last = servers instanceof Map ? [...servers.values()].map((server: { error?: unknown }) => server.error) : [];
	const next = [error.cause, ...last].filter((cause) => cause instanceof Error);
	return [error, ...next.flatMap((cause) => causesOf(cause, depth + 1))];
}

/** Returns what the driver says about the servers in an error; nothing in most of them. */
export function topologyOf(error: Error): { readonly setName?: unknown; readonly servers?: unknown } {
	const { reason }: { reason?: unknown } = "reason" in error ? error : {};
	return typeof reason === "object" && reason !== null ? reason : {};
}
