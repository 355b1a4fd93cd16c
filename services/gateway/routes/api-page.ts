/** Serves the API page `/docs`, where people read and try the OpenAPI document. It loads nothing from other servers. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { page, type PageRoute } from "./pages.ts";

/** The content policy: own files only. The viewer sets styles of elements and draws its icons from `data:` URLs. */
const policy = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self' 'unsafe-inline'",
	"img-src 'self' data:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

/** Failures have one form, so the page shows a line for each and its schema in none. */
const lessAboutFailures = [4, 5]
	.flatMap((digit) => [".response-controls", ".model-example"].map((part) => `[data-code^="${digit}"] ${part}`))
	.join(", ")
	.concat(" { display: none; }");

const content = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Atelier API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>${lessAboutFailures}</style>
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script src="/docs/start.js" defer></script>
</head>
<body>
<main id="api"></main>
<noscript>This page needs JavaScript. The document itself: <a href="/openapi.json">/openapi.json</a></noscript>
</body>
</html>
`;

/**
 * The options of the viewer: no external validator, and nothing of the document in the address. The viewer shows an answer when it
 * has ended, and a stream of events does not end, so the page takes what comes within five seconds.
 */
const start = `async function beginning(url, request) {
	const limit = new AbortController();
	const answer = await fetch(url, { ...request, signal: limit.signal });
	if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) return answer;
	setTimeout(() => limit.abort(), 5000);
	const chunks = [];
	const reader = answer.body.getReader();
	try {
		for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
	} catch {}
	return new Response(new Blob(chunks), answer);
}
SwaggerUIBundle({
	url: "/openapi.json",
	dom_id: "#api",
	validatorUrl: null,
	docExpansion: "none",
	defaultModelsExpandDepth: -1,
	displayRequestDuration: true,
	filter: true,
	tryItOutEnabled: true,
	persistAuthorization: false,
	requestInterceptor: (request) => Object.assign(request, { userFetch: beginning }),
});
`;

const html = "text/html; charset=utf-8";
const script = "text/javascript; charset=utf-8";

export function apiPage(): PageRoute[] {
	return [
		page("//docs", async () => ({ status: 200, body: content, type: html, policy })),
		page("//docs/start.js", async () => ({ status: 200, body: start, type: script })),
		viewerFile("swagger-ui.css", "text/css; charset=utf-8"),
		viewerFile("swagger-ui-bundle.js", script),
	];
}

/** Serves a file of the viewer, which stays in memory after the first reading. */
function viewerFile(name: string, type: string): PageRoute {
	let file: Buffer | undefined;
	return page(`//docs/${name}`, async () => {
		file ??= await readFile(join(viewerFolder(), name));
		return { status: 200, body: file, type };
	});
}

function viewerFolder(): string {
	return dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
}
