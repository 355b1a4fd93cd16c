/** Checks the URL of one hop of an outbound request, before anything is resolved or connected. */
import { isIP } from "node:net";
import { UnprocessableError } from "#shared/base/errors.ts";
import type { OutboundRules } from "./outbound-rules.ts";
import { isPublicAddress } from "./public-address.ts";

export interface CheckedUrl {
	readonly url: URL;
	/** The host without brackets and without the dot at the end. */
	readonly host: string;
	/** The configuration names this origin, so its address may be private. */
	readonly isAllowed: boolean;
}

const maxLength = 2_048;
/** The URL parser removes line breaks and tabs, so that a text with them is not the URL that people read. */
const blankOrControl = /[\s\p{Cc}]/u;

/** Names that mean something else on every network, and never a public server. */
const privateSuffixes = [
	"arpa",
	"corp",
	"home",
	"internal",
	"intranet",
	"invalid",
	"lan",
	"local",
	"localdomain",
	"localhost",
	"onion",
	"private",
	"svc",
	"test",
];

/**
 * Returns the URL as it will be requested.
 * @param configured Origins of this request that are allowed beside those of the rules.
 * @throws {UnprocessableError} with a sentence that repeats no more than the host.
 */
export function checkUrl(text: string, rules: OutboundRules, configured?: string): CheckedUrl {
	const url = readUrl(text);
	if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
	url.hash = "";
	const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
	const isAllowed = rules.allowed.has(url.origin) || url.origin === configured;
	if (!isAllowed) checkPublic(url, host, rules);
	return { url, host, isAllowed };
}

function readUrl(text: string): URL {
	if (text.length > maxLength) throw refused(`The URL is longer than ${maxLength} characters`);
	if (blankOrControl.test(text)) throw refused("The URL has a blank or a control character");
	if (!URL.canParse(text)) throw refused("The URL cannot be read");
	const url = new URL(text);
	if (url.protocol !== "https:" && url.protocol !== "http:") throw refused("The URL must begin with https://");
	if (url.username !== "" || url.password !== "") throw refused("The URL must not have a user or a password");
	return url;
}

/** The error for a host whose address is private or that has none: callers do not learn which names a network knows. */
export function noPublicAddress(host: string): UnprocessableError {
	return refused(`The host "${shown(host)}" has no public address`);
}

function checkPublic(url: URL, host: string, { ports, refused: networks }: OutboundRules): void {
	if (url.protocol !== "https:") throw refused(`The URL of "${shown(host)}" must begin with https://`);
	const port = Number(url.port === "" ? "443" : url.port);
	if (!ports.includes(port)) throw refused(`The port ${port} of "${shown(host)}" is not allowed`);
	const isPublic = isIP(host) === 0 ? isPublicName(host) : isPublicAddress(host, networks);
	if (!isPublic) throw noPublicAddress(host);
}

function isPublicName(host: string): boolean {
	const labels = host.split(".");
	const last = labels.at(-1) ?? "";
	return labels.length > 1 && !labels.includes("") && !privateSuffixes.includes(last);
}

function refused(sentence: string): UnprocessableError {
	return new UnprocessableError(sentence, "URL_REFUSED");
}

function shown(host: string): string {
	return host.slice(0, 100);
}
