/** Tests a connection by one request that its definition describes. */
import type { IntegrationDefinition } from "#shared/contracts/integrations/definition-fields.ts";
import { UnprocessableError, UpstreamError } from "#shared/base/errors.ts";
import type { Outbound } from "#shared/net/outbound/outbound.ts";
import { settingOf } from "../connection-uses/launch-mapping.ts";

type Texts = Readonly<Record<string, string>>;

export interface Account {
	readonly user: string | null;
	readonly workspace: string | null;
}

const timeoutMs = 5_000;
const maxBytes = 1_048_576;
/** The most characters of a name that is shown. */
const maxName = 200;

/** Sends the request; resolves to what the answer says of the user. @throws {ServiceError} with a sentence about the failure. */
export async function checkServer(
	outbound: Outbound,
	{ name, check }: Pick<IntegrationDefinition, "name" | "check">,
	{ config, credential }: { readonly config: Texts; readonly credential: Texts },
): Promise<Account> {
	if (!check) throw new UnprocessableError(`${name} cannot be tested: this is not supported`);
	const own = settingOf(config, check.config_key);
	const base = own ?? check.url;
	if (base === "") throw new UnprocessableError(`The setting "${check.config_key}" is missing`);
	const { status, body } = await outbound.send({
		url: urlOf(base, check.path),
		headers: { accept: "application/json", ...filled(check.headers, credential) },
		// The server of a definition was chosen by the operator, that of a connection by its owner.
		isConfigured: own === undefined,
		timeoutMs,
		maxBytes,
	});
	if (status === 401 || status === 403) throw new UpstreamError(`${name} refused the credential (${status})`);
	if (status < 200 || status > 299) throw new UpstreamError(`${name} answered with ${status}`);
	return { user: memberOf(jsonOf(body, name), check.user), workspace: null };
}

/** Returns the URL of a path below a server, which may have a path itself. */
function urlOf(base: string, path: string): string {
	if (!URL.canParse(base)) return base;
	const { origin, pathname } = new URL(base);
	return `${origin}${pathname.endsWith("/") ? pathname.slice(0, -1) : pathname}${path}`;
}

/** Returns the headers with the fields of the credential in the place of their names. */
function filled(headers: Texts, credential: Texts): Record<string, string> {
	const valueOf = (field: string) => (Object.hasOwn(credential, field) ? (credential[field] ?? "") : "");
	return Object.fromEntries(
		Object.entries(headers).map(([header, text]) => [
			header,
			text.replaceAll(/\$\{([\w.-]+)\}/g, (_whole, field: string) => valueOf(field)),
		]),
	);
}

function jsonOf(body: Buffer, name: string): unknown {
	try {
		return JSON.parse(body.toString("utf8"));
	} catch {
		throw new UpstreamError(`${name} answered with something else than JSON`);
	}
}

/** Returns the first of the members that is a text; null when there is none. */
function memberOf(answer: unknown, members: readonly string[]): string | null {
	if (typeof answer !== "object" || answer === null) return null;
	const values = new Map<string, unknown>(Object.entries(answer));
	const found = members.map((member) => values.get(member)).find((value) => typeof value === "string" && value !== "");
	return typeof found === "string" ? found.slice(0, maxName) : null;
}
