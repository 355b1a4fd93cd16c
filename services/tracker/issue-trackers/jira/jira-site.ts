/** Reads the site and the credential of a connection to Jira. Pure. */
import { UnprocessableError } from "#shared/base/errors.ts";
import type { JiraSite } from "./jira-client.ts";

const deployments = ["cloud", "data-center"] as const;
/** The characters that a header may hold. */
const headerText = /^[\x21-\x7e]{1,2000}$/;
const emailText = /^[^:\p{Cc}]{1,320}$/u;

/** @throws {UnprocessableError} when something is missing or cannot be used; the sentence names it and holds no secret. */
export function siteOf({
	site_url,
	email,
	api_token,
	deployment,
}: Readonly<Partial<Record<keyof JiraSite, unknown>>>): JiraSite {
	if (typeof api_token !== "string" || !headerText.test(api_token))
		throw wrong("Jira needs a credential with `api_token`");
	return { site_url: webUrl(site_url), email: emailOf(email), api_token, deployment: deploymentOf(deployment) };
}

function emailOf(value: unknown): string | undefined {
	if (value === undefined || value === null || value === "") return undefined;
	if (typeof value === "string" && emailText.test(value)) return value;
	throw wrong("`email` of Jira has to be the address of the token's person");
}

function deploymentOf(value: unknown): JiraSite["deployment"] {
	const known = deployments.find((name) => name === value);
	if (known || value === undefined || value === null || value === "") return known;
	throw wrong("`deployment` of Jira is `cloud` or `data-center`");
}

function webUrl(text: unknown): string {
	const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !["http:", "https:"].includes(url.protocol) || url.search !== "" || url.hash !== "")
		throw wrong("Jira needs `site_url`, such as https://company.atlassian.net");
	return `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, "");
}

function wrong(sentence: string): UnprocessableError {
	return new UnprocessableError(sentence, "TRACKER_CONFIG");
}
