/** The pages that a browser sees after a login at a provider. They load nothing, and every text is escaped. Pure. */
import { createHash } from "node:crypto";

/** A page, and what a browser may load for it. */
export interface Page {
	readonly html: string;
	readonly policy: string;
}

const closing = "setTimeout(() => close(), 2000);";
const style = "body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem}";

/** Returns the page after a login that succeeded; it closes itself after 2 s. */
export function connectedPage(name: string): Page {
	return page(`${name} is connected`, `<p>You can close this window.</p><script>${closing}</script>`);
}

/** Returns the page after a redirect that told of an error, e.g. because the person did not agree. */
export function refusedPage(name: string, error: string): Page {
	const reason = escaped(error.slice(0, 200));
	return page(`${name} is not connected`, `<p>The provider answered: ${reason}</p><p>You can close this window.</p>`);
}

/** The question whether the browser belongs to the person who began the login. */
interface Confirmation {
	readonly name: string;
	readonly owner: string;
	readonly tenant: string;
	/** The query that confirms, as an address relative to this page. */
	readonly query: string;
}

export function confirmationPage({ name, owner, tenant, query }: Confirmation): Page {
	const person = `<strong>${escaped(owner)}</strong> (tenant ${escaped(tenant)})`;
	return page(
		`Connect ${name}?`,
		`<p>${person} began this login in another browser. Your account will be connected to that user, who can then use it.</p>` +
			`<p>If you are not that user, close this window.</p><p><a href="?${escaped(query)}">I am that user: connect</a></p>`,
	);
}

function page(title: string, content: string): Page {
	const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
${content}
</body>
</html>
`;
	return { html, policy };
}

/** The content policy: these two texts and nothing else. */
const policy = [
	"default-src 'none'",
	`script-src '${digest(closing)}'`,
	`style-src '${digest(style)}'`,
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

function digest(text: string): string {
	return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

const entities: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

function escaped(text: string): string {
	return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
